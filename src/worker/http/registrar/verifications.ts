import * as z from 'zod/mini';
import { claims } from '../../../../drizzle/schema.ts';
import { onFirstUse } from '../../../base/on-first-use.ts';
import { clearable, textField } from '../../../base/text/field.ts';
import { instantRule } from '../../../base/time/instant.ts';
import {
  decideVerification,
  getProof,
  requestIdentification,
} from '../../../contact/verification/identity-request.ts';
import {
  type IdentityClient,
  noIdentityService,
} from '../../../contact/verification/identity-service.ts';
import {
  recordVerification,
  withdrawVerification,
} from '../../../contact/verification/verification.ts';
import { settings } from '../../settings.ts';
import { registrarCall } from '../request/client-headers.ts';
import { type AppContext, database, newApp } from '../request/context.ts';
import { body } from '../request/input.ts';
import { answerToWrite } from './answer.ts';

/** Mounted below the registrar's contact routes, after their middleware. */
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

verifications.post('/:code/verifications', body(verificationBody), async (c) => {
  const { verified_at: verifiedAt, ...check } = c.req.valid('json').verification;
  const call = await registrarCall(c);
  const recorded = await recordVerification(call, c.req.param('code'), { ...check, verifiedAt });
  return answerToWrite(c, recorded, { verification: { id: recorded.outcome.id } });
});

verifications.delete('/:code/verifications/:id', async (c) => {
  const { code, id } = c.req.param();
  const withdrawn = await withdrawVerification(await registrarCall(c), code, id);
  return answerToWrite(c, withdrawn, {});
});

function requireIdentityClients(c: AppContext): readonly IdentityClient[] {
  const { identityClients } = settings(c.env);
  if (identityClients.length > 0) return identityClients;
  throw noIdentityService();
}

verifications.post('/verify/:code', async (c) => {
  const clients = requireIdentityClients(c);
  const call = await registrarCall(c);
  const requested = await requestIdentification(call, c.req.param('code'), clients);
  const { code, link } = requested.outcome;
  return answerToWrite(c, requested, { contact: { id: code, code, link } });
});

for (const decision of ['approve', 'reject'] as const) {
  verifications.post(`/${decision}_verification/:code`, async (c) => {
    const call = await registrarCall(c);
    const decided = await decideVerification(call, c.req.param('code'), decision);
    const { code } = decided.outcome;
    return answerToWrite(c, decided, { contact: { id: code, code } });
  });
}

verifications.get('/download_poi/:code', async (c) => {
  const { code } = c.req.param();
  // Encoded: an id from a former registry may be any text.
  const { id, pdf } = await getProof(database(c), c.var.login, code, requireIdentityClients(c));
  return c.body(pdf, 200, {
    'Content-Type': 'application/pdf',
    'Content-Disposition': `inline; filename="proof_of_identity_${encodeURIComponent(id)}.pdf"`,
  });
});
