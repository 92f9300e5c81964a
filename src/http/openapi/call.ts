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
import { type HeaderParameter, headerParameters, parametersOf } from './parameters.ts';
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

/** The refusals and the headers that come with a call's pages, its body and its parameters. */
const implied: [isIn: (call: Call) => boolean | undefined, reason: Reason, header?: HeaderName][] =
  [
    [({ query }) => query && 'limit' in query.shape, 'out_of_range', 'Link'],
    [({ body }) => body !== undefined, 'malformed', 'Ignored-Fields'],
    [(call) => call.parameters?.includes('Idempotency-Key'), 'key_reused', 'Idempotent-Replayed'],
    [(call) => call.parameters?.includes('If-Match'), 'changed_meanwhile'],
  ];

/** Describes calls of the interface. */
export function callsOf(common: Interface) {
  return (call: Call): ZodOpenApiOperationObject => {
    const { success, refusals = [] } = call;
    const its = implied.filter(([isIn]) => isIn(call));
    const reasons = [...its.map(([, reason]) => reason), ...refusals];
    const headers = its.flatMap(([, , header]) => header ?? []);
    const responses: ZodOpenApiResponsesObject = {
      ...(success && { 200: answer(common, success, headers) }),
      ...call.others,
      ...refusalsOf(common, reasons, { hasBody: call.body !== undefined }),
    };
    showExamples(call.operationId, call.body, responses);
    const repeated = common.headers.filter((name) => name in headerParameters) as HeaderParameter[];
    const parameters = parametersOf(...(call.parameters ?? []), ...repeated);
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

function answer(
  common: Interface,
  { description, headers = [], schema }: Success,
  implied: readonly HeaderName[],
) {
  return {
    description,
    headers: headersOf(
      ...everyAnswer,
      ...common.headers,
      'Ignored-Parameters',
      ...headers,
      ...implied,
    ),
    content: { 'application/json': { schema } },
  };
}
