import * as z from 'zod';
import type { Reason } from '../../error.ts';
import { reasonCases } from '../answer.openapi.ts';
import { type Call, callsOf } from '../openapi/call.ts';
import type { Tag } from '../openapi/introduction.ts';
import { answers, done, errorBody } from './answer.ts';

const codes = [...new Set(Object.values(answers).map(([code]) => code))].sort();
const code = z.literal(codes).meta({
  description: 'The result code (RFC 5730).',
});
const message = z.string().min(1);

export const registrarProblem = z
  .object({
    code,
    message,
    field: z.string().nullable().meta({
      description: 'The field, parameter or header; null if the error concerns none.',
    }),
    detail: z.string().min(1).optional().meta({
      description: 'A sentence for people. Its wording may change.',
    }),
  })
  .meta({ id: 'RegistrarProblem' });

const registrarError = z
  .object({
    code,
    message,
    data: z.object({}),
    errors: z.array(registrarProblem).min(1).meta({
      description: 'Everything that is wrong; `code` and `message` are those of the first.',
    }),
  })
  .meta({ id: 'RegistrarError' });

function show(reason: Reason): string {
  const [code, fixed] = answers[reason];
  return `\`${code}\`${fixed === undefined ? '' : ` *${fixed}*`}: ${reasonCases[reason]}`;
}

export function registrarCalls(tag: Tag) {
  const callOf = callsOf({
    tag,
    name: 'Registrar',
    security: [{ basic: [] }, { systemKey: [] }],
    refusals: ['invalid', 'unauthorized', 'address_denied', 'forbidden', 'too_large', 'throttled'],
    errorOf: () => registrarError,
    exampleOf: errorBody,
    show,
    headers: ['X-Client-Transaction-Id', 'RPP-Cltrid', 'X-D1-Bookmark'],
  });
  return (call: Call) =>
    callOf({ ...call, parameters: [...(call.parameters ?? []), 'Acting-For'] });
}

export function envelope(id: string, data: z.ZodType) {
  const fixed = done({});
  return z
    .object({ code: z.literal(fixed.code), message: z.literal(fixed.message), data })
    .meta({ id });
}
