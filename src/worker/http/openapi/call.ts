import * as z from 'zod';
import type {
  ZodOpenApiOperationObject,
  ZodOpenApiPathsObject,
  ZodOpenApiRequestBodyObject,
  ZodOpenApiResponsesObject,
} from 'zod-openapi';
import type { Reason } from '../../../base/error.ts';
import { addExamples } from './example.ts';
import {
  everyAnswer,
  type HeaderName,
  type HeaderParameter,
  headerParameters,
  headersOf,
  parametersOf,
} from './headers.ts';
import { type Causes, type Interface, notModified, refusalsOf, usual } from './refusal.ts';

export interface Call {
  operationId: string;
  summary: string;
  description?: string;
  takes?: readonly HeaderParameter[];
  path?: z.ZodRawShape;
  query?: z.core.$ZodObject;
  /** A type alone means a required JSON body. */
  body?: z.core.$ZodType | ZodOpenApiRequestBodyObject;
  /** Describes the response with status 200; `created` describes 201, `gone` 204. */
  success?: string;
  answer?: z.core.$ZodType;
  /** Default: JSON. */
  type?: string;
  /** Default: `ETag`, if the call takes `If-Match`. */
  headers?: readonly HeaderName[];
  created?: string;
  gone?: string;
  others?: ZodOpenApiResponsesObject;
  refusals?: readonly Reason[];
  causes?: Causes;
  onlyReads?: true;
}

/** The keys are methods and paths: `GET /health`. */
export type Calls = Record<string, Call>;

export const json = (schema: z.core.$ZodType) => ({ content: { 'application/json': { schema } } });

type Implied = [isIn: (call: Call) => boolean | undefined, reason: Reason, header?: HeaderName];

const isAskedFor =
  (parameter: string) =>
  ({ query }: Call) =>
    query && parameter in query._zod.def.shape;

const implied: Implied[] = [
  [isAskedFor('limit'), 'out_of_range'],
  [isAskedFor('offset'), 'out_of_range', 'Link'],
  [isAskedFor('as_of'), 'invalid', 'Link'],
  [({ body }) => body !== undefined, 'malformed', 'Ignored-Fields'],
  [({ body }) => body && ('_zod' in body || body.required), 'missing'],
  [({ body }) => body !== undefined, 'too_large'],
  [({ body }) => body !== undefined, 'coded'],
  [({ takes }) => takes?.includes('Idempotency-Key'), 'key_reused', 'Idempotent-Replayed'],
  [({ takes }) => takes?.includes('If-Match'), 'changed_meanwhile'],
];

export function callsOf(given: Interface) {
  const common: Required<Interface> = { ...usual, ...given };
  return (calls: Calls): ZodOpenApiPathsObject => {
    const paths: ZodOpenApiPathsObject = {};
    for (const [methodAndPath, call] of Object.entries(calls)) {
      const [method, path] = methodAndPath.split(' ') as [string, string];
      const refusals = [...(call.refusals ?? []), ...writes(method, call)];
      const described = operation(common, path, { ...call, refusals });
      paths[path] = { ...paths[path], [method.toLowerCase()]: described };
    }
    return paths;
  };
}

const writes = (method: string, { onlyReads }: Call): Reason[] =>
  method === 'GET' || onlyReads ? [] : ['busy'];

function operation(
  common: Required<Interface>,
  path: string,
  call: Call,
): ZodOpenApiOperationObject {
  const { operationId, summary, takes = [], query } = call;
  const description = [common.preface, call.description ?? ''].join(' ').trim();
  const body =
    call.body && ('_zod' in call.body ? { required: true, ...json(call.body) } : call.body);
  const responses = responsesOf(common, call);
  addExamples(operationId, body, responses);
  const types: z.ZodRawShape = { ...common.path, ...call.path };
  const inPath = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => [
    name,
    types[name] ?? z.string(),
  ]);
  const repeated = common.headers.filter((name) => name in headerParameters) as HeaderParameter[];
  return {
    operationId,
    summary,
    ...(description && { description }),
    tags: [common.tag],
    security: common.security,
    requestParams: { path: z.object(Object.fromEntries(inPath)), ...(query && { query }) },
    parameters: parametersOf(...takes, ...common.takes, ...repeated),
    ...(body && { requestBody: body }),
    responses,
  };
}

function responsesOf(common: Required<Interface>, call: Call): ZodOpenApiResponsesObject {
  const { takes = [], success, answer: schema, type = 'application/json', created, gone } = call;
  const { headers: own = takes.includes('If-Match') ? ['ETag'] : [] } = call;
  const its = implied.filter(([isIn]) => isIn(call));
  const reasons = [...its.map(([, reason]) => reason), ...(call.refusals ?? [])];
  const headers = [...everyAnswer, ...common.headers, 'Ignored-Parameters'] as const;
  const answer = (description: string) => ({
    description,
    headers: headersOf(...headers, ...own, ...its.flatMap(([, , header]) => header ?? [])),
    content: { [type]: { schema } },
  });
  const isRevalidated = takes.includes('If-None-Match') && !takes.includes('Idempotency-Key');
  return {
    ...(success && { 200: answer(success) }),
    ...(created && { 201: answer(created) }),
    ...(gone && { 204: { description: gone, headers: headersOf(...headers) } }),
    ...(isRevalidated && notModified(common, own)),
    ...refusalsOf(common, reasons, { hasBody: call.body !== undefined, causes: call.causes }),
    ...call.others,
  };
}
