import type { ZodOpenApiResponseObject } from 'zod-openapi';
import { type Call, type Calls, callsOf } from '../openapi/call.ts';
import { parameter } from '../openapi/describe.ts';
import { everyAnswer, headersOf } from '../openapi/headers.ts';

const callsOfReaders = callsOf({
  name: 'Public',
  tag: 'Public lists',
  refusals: ['throttled'],
  headers: ['Access-Control-Allow-Origin', 'Access-Control-Expose-Headers'],
  path: {
    name: parameter('Name', 'The name, in Unicode or punycode, in either case.', 'kuressaare.ee'),
  },
});

export const cached = {
  takes: ['If-None-Match'],
  headers: ['ETag', 'Vary', 'Cache-Tag'],
} as const satisfies Partial<Call>;

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

/** Adds the CORS preflight of each call. */
export function publicCalls(calls: Calls) {
  const all: Calls = {};
  for (const [methodAndPath, call] of Object.entries(calls)) {
    const name = call.operationId;
    all[methodAndPath] = call;
    all[methodAndPath.replace(/^\w+/, 'OPTIONS')] = {
      operationId: `preflight${name[0]!.toUpperCase()}${name.slice(1)}`,
      summary: 'Preflight request of a browser',
      ...(call.path && { path: call.path }),
      others: { 204: preflightAnswer },
    };
  }
  return callsOfReaders(all);
}
