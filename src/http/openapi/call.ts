import type * as z from 'zod';
import type {
  ZodOpenApiOperationObject,
  ZodOpenApiRequestBodyObject,
  ZodOpenApiResponsesObject,
} from 'zod-openapi';
import type { Reason } from '../../error.ts';
import { showExamples } from './example.ts';
import { everyAnswer, type HeaderName, headersOf } from './headers.ts';
import { type HeaderParameter, headerParameters, parametersOf } from './parameters.ts';
import { type Interface, notModified, refusalsOf, usual } from './refusal.ts';

export interface Success {
  description: string;
  headers?: readonly HeaderName[];
  /** Default: JSON. */
  type?: string;
  schema: z.core.$ZodType;
}

export interface Call {
  operationId: string;
  summary: string;
  description?: string;
  parameters?: readonly HeaderParameter[];
  path?: z.core.$ZodObject;
  query?: z.core.$ZodObject;
  body?: ZodOpenApiRequestBodyObject;
  success?: Success;
  /** Of an answer with status 201, which is like the successful one. */
  created?: string;
  /** Of an answer with status 204. */
  gone?: string;
  others?: ZodOpenApiResponsesObject;
  /** Besides those of the interface. */
  refusals?: readonly Reason[];
}

export const requiredBody = (schema: z.core.$ZodType) => ({
  required: true,
  content: { 'application/json': { schema } },
});

type Implied = [isIn: (call: Call) => boolean | undefined, reason: Reason, header?: HeaderName];

const isAskedFor =
  (parameter: string) =>
  ({ query }: Call) =>
    query && parameter in query._zod.def.shape;

/** What a call's pages, body and parameters imply. */
const implied: Implied[] = [
  [isAskedFor('limit'), 'out_of_range'],
  [isAskedFor('offset'), 'out_of_range', 'Link'],
  [({ body }) => body !== undefined, 'malformed', 'Ignored-Fields'],
  [({ body }) => body?.required, 'missing'],
  [({ body }) => body !== undefined, 'too_large'],
  [(call) => call.parameters?.includes('Idempotency-Key'), 'key_reused', 'Idempotent-Replayed'],
  [(call) => call.parameters?.includes('If-Match'), 'changed_meanwhile'],
];

export function callsOf(given: Interface) {
  const common: Required<Interface> = { ...usual, ...given };
  const repeated = common.headers.filter((name) => name in headerParameters) as HeaderParameter[];
  return (call: Call): ZodOpenApiOperationObject => {
    const { success, created, gone, refusals = [], others, ...rest } = call;
    const { parameters = [], path, query, body, ...named } = rest;
    const its = implied.filter(([isIn]) => isIn(call));
    const isRevalidated =
      parameters.includes('If-None-Match') && !parameters.includes('Idempotency-Key');
    const reasons = [...its.map(([, reason]) => reason), ...refusals];
    const headers = [...everyAnswer, ...common.headers, 'Ignored-Parameters'] as const;
    const answer = ({ description, headers: own = [], type, schema }: Success) => ({
      description,
      headers: headersOf(...headers, ...own, ...its.flatMap(([, , header]) => header ?? [])),
      content: { [type ?? 'application/json']: { schema } },
    });
    const responses: ZodOpenApiResponsesObject = {
      ...(success && { 200: answer(success) }),
      ...(success && created && { 201: answer({ ...success, description: created }) }),
      ...(gone && { 204: { description: gone, headers: headersOf(...headers) } }),
      ...(isRevalidated && notModified(common, success?.headers ?? [])),
      ...others,
      ...refusalsOf(common, reasons, { hasBody: body !== undefined }),
    };
    showExamples(call.operationId, body, responses);
    return {
      ...named,
      tags: [common.tag],
      security: common.security,
      requestParams: { ...(path && { path }), ...(query && { query }) },
      parameters: parametersOf(...parameters, ...repeated),
      ...(body && { requestBody: body }),
      responses,
    };
  };
}
