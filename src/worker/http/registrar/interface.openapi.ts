import * as z from 'zod';
import type { Reason } from '../../../base/error.ts';
import { callsOf } from '../openapi/call.ts';
import { named, parameter } from '../openapi/describe.ts';
import type { Tag } from '../openapi/introduction.ts';
import { answers, errorBody, success } from './answer.ts';

const codes = [...new Set(Object.values(answers).map(([code]) => code))].sort();
const code = z.literal(codes).describe('The result code (RFC 5730).');
const message = z.string().min(1);

export const registrarProblem = named('RegistrarProblem', {
  code,
  message,
  field: z.string().nullable().meta({
    description: 'The field, parameter or header; null if the error concerns none.',
  }),
  detail: z.string().min(1).optional().describe('A sentence for people. Its wording may change.'),
});

const registrarError = named('RegistrarError', {
  code,
  message,
  data: z.object({}),
  errors: z.array(registrarProblem).min(1).meta({
    description: 'Everything that is wrong; `code` and `message` are those of the first.',
  }),
});

function show(reason: Reason, cause: string): string {
  const [code, fixed] = answers[reason];
  return `\`${code}\`${fixed === undefined ? '' : ` *${fixed}*`}: ${cause}`;
}

const codeInPath = parameter('ContactCode', 'The contact’s code, in either case.', 'ALPHA:TAMM');

export const registrarCalls = (tag: Tag) =>
  callsOf({
    tag,
    name: 'Registrar',
    security: [{ basic: [] }, { systemKey: [] }],
    refusals: [
      'invalid',
      'unauthorized',
      'address_denied',
      'forbidden',
      'too_large',
      'coded',
      'throttled',
    ],
    errorOf: () => registrarError,
    exampleOf: errorBody,
    typical: {
      invalid: { message: 'Bookmark is invalid', field: 'X-D1-Bookmark' },
      not_found: { message: 'Object does not exist' },
      forbidden: { message: 'System epp may not act for this registrar' },
    },
    show,
    takes: ['Acting-For'],
    headers: ['X-Client-Transaction-Id', 'RPP-Cltrid', 'X-D1-Bookmark'],
    path: { code: codeInPath },
  });

export function envelope(id: string, data: z.ZodType) {
  const { code, message } = success({});
  return named(id, { code: z.literal(code), message: z.literal(message), data });
}
