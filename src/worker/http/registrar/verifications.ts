import * as z from 'zod/mini';
import { claims } from '../../../../drizzle/schema.ts';
import { onFirstUse } from '../../../base/on-first-use.ts';
import { clearable, textField } from '../../../base/text/field.ts';
import { instantRule } from '../../../base/time/instant.ts';
import {
  recordVerification,
  withdrawVerification,
} from '../../../contact/verification/verification.ts';
import { database } from '../request/context.ts';
import { newApp } from '../request/hono.ts';
import { parseBody } from '../request/input.ts';
import { writeRequest } from '../request/write-request.ts';
import { writtenAnswer } from './written.ts';

/** Mounted below the registrar's contacts, whose middleware comes first. */
export const verifications = newApp();

export const verificationBody = onFirstUse(() =>
  z.object({
    verification: z.object(
      {
        claim: z.enum(claims, 'Claim is invalid'),
        method: textField('Method is invalid', 50),
        framework: clearable(textField('Framework is invalid', 50)),
        reference: clearable(textField('Reference is invalid', 100)),
        result: z.nullish(z.enum(['success', 'failed'], 'Result is invalid')),
        verified_at: z.nullish(instantRule('Verified at is invalid')),
      },
      'Verification is invalid',
    ),
  }),
);

verifications.post('/:code/verifications', async (c) => {
  const { verification } = await parseBody(c, verificationBody());
  const { verified_at: verifiedAt, ...check } = verification;
  const recorded = await recordVerification(
    database(c),
    c.var.login,
    c.req.param('code'),
    { ...check, verifiedAt },
    await writeRequest(c),
  );
  return writtenAnswer(c, recorded, { verification: { id: recorded.outcome.id } });
});

verifications.delete('/:code/verifications/:id', async (c) => {
  const { code, id } = c.req.param();
  const request = await writeRequest(c);
  const withdrawn = await withdrawVerification(database(c), c.var.login, code, id, request);
  return writtenAnswer(c, withdrawn, {});
});
