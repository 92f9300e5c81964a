import type * as z from 'zod';
import type {
  oas31,
  ZodOpenApiOperationObject,
  ZodOpenApiRequestBodyObject,
  ZodOpenApiResponsesObject,
} from 'zod-openapi';
import type { Reason } from '../../error.ts';
import { type Example, showExamples, withExamples } from './example.ts';
import { everyAnswer, type HeaderName, headersOf } from './headers.ts';
import { type HeaderParameter, parametersOf } from './parameters.ts';
import { refusalsOf } from './refusal.ts';

/** What the calls of an interface have in common. */
export interface Interface {
  /** The beginning of the names of its components. */
  name: string;
  tag: string;
  security: oas31.SecurityRequirementObject[];
  /** What every call may be refused for. */
  refusals: readonly Reason[];
  /** The body of a refusal. */
  errorOf: (status: number) => z.ZodType;
  /** How a reason is shown; its case if nothing is said. */
  show?: (reason: Reason) => string;
  /** Sent and taken by every call. */
  headers: readonly HeaderName[];
  parameters: readonly HeaderParameter[];
}

/** What a call answers when it succeeds. */
export interface Success {
  description: string;
  headers?: readonly HeaderName[];
  schema: z.ZodType;
}

export interface Call {
  operationId: string;
  summary: string;
  description?: string;
  parameters?: readonly HeaderParameter[];
  path?: z.ZodObject;
  query?: z.ZodObject;
  body?: ZodOpenApiRequestBodyObject;
  /** Its 200. */
  success?: Success;
  /** Answers with other statuses that are not refusals. */
  others?: ZodOpenApiResponsesObject;
  /** Besides those of every call. */
  refusals?: readonly Reason[];
  examples?: Record<string, Example>;
}

export const jsonBody = (schema: z.ZodType) => ({
  required: true,
  content: { 'application/json': { schema } },
});

/** Describes calls of the interface. */
export function callsOf(common: Interface) {
  return ({ success, refusals = [], others = {}, ...call }: Call): ZodOpenApiOperationObject => {
    const responses: ZodOpenApiResponsesObject = {
      ...(success && { 200: answer(common, success) }),
      ...others,
      ...refusalsOf(common, refusals, { hasBody: call.body !== undefined }),
    };
    if (call.examples) showExamples(call.operationId, call.examples, responses);
    const parameters = parametersOf(...(call.parameters ?? []), ...common.parameters);
    return {
      operationId: call.operationId,
      summary: call.summary,
      ...(call.description !== undefined && { description: call.description }),
      tags: [common.tag],
      security: common.security,
      requestParams: {
        ...(call.path && { path: call.path }),
        ...(call.query && { query: call.query }),
      },
      ...(parameters.length > 0 && { parameters }),
      ...(call.body && { requestBody: withExamples(call.body, call.examples) }),
      responses,
    };
  };
}

function answer(common: Interface, { description, headers = [], schema }: Success) {
  return {
    description,
    headers: headersOf(...everyAnswer, ...common.headers, 'Ignored-Parameters', ...headers),
    content: { 'application/json': { schema } },
  };
}
