import type * as z from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiResponseObject } from 'zod-openapi';
import { type Call, callsOf, type Success } from '../openapi/call.ts';
import { everyAnswer, headersOf } from '../openapi/headers.ts';
import type { Interface } from '../openapi/refusal.ts';

export const readers = {
  name: 'Public',
  tag: 'Public lists',
  refusals: ['throttled'],
  headers: ['Access-Control-Allow-Origin', 'Access-Control-Expose-Headers'],
} satisfies Interface;

export const publicCall = callsOf(readers);

const cached = ['ETag', 'Vary', 'Cache-Tag'] as const;

/** Something that caches keep and clients revalidate. */
export function cachedCall(call: Call & { success: Success }): ZodOpenApiOperationObject {
  return publicCall({
    ...call,
    parameters: ['If-None-Match'],
    success: { ...call.success, headers: cached },
  });
}

const preflightAnswer: ZodOpenApiResponseObject = {
  id: 'Preflight',
  description: 'Any origin may. No body.',
  headers: headersOf(
    ...everyAnswer,
    'Ignored-Parameters',
    'Allow',
    'Access-Control-Allow-Origin',
    'Access-Control-Allow-Methods',
    'Access-Control-Allow-Headers',
    'Access-Control-Max-Age',
  ),
};

/** The answer to a browser that asks whether a page of another origin may send the request. */
export function preflight(operationId: string, path?: z.ZodObject): ZodOpenApiOperationObject {
  return publicCall({
    operationId,
    summary: 'Preflight request of a browser',
    ...(path && { path }),
    others: { 204: preflightAnswer },
  });
}
