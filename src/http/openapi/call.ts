import type * as z from 'zod';
import type {
  ZodOpenApiOperationObject,
  ZodOpenApiRequestBodyObject,
  ZodOpenApiResponsesObject,
} from 'zod-openapi';
import type { Reason } from '../../error.ts';
import { showExamples } from './example.ts';
import { everyAnswer, type HeaderName, headersOf } from './headers.ts';
import type { Interface } from './interface.ts';
import { type HeaderParameter, parametersOf } from './parameters.ts';
import { refusalsOf } from './refusal.ts';

/** The answer of a call that succeeds. */
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
}

export const requiredBody = (schema: z.ZodType) => ({
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
    showExamples(call.operationId, call.body, responses);
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
      ...(call.body && { requestBody: call.body }),
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
