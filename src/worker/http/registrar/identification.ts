import {
  decideVerification,
  getProof,
  requestIdentification,
} from '../../../contact/verification/identity-request.ts';
import { type IdentityClient, notOffered } from '../../../contact/verification/identity-service.ts';
import { settings } from '../../settings.ts';
import { type AppContext, database } from '../request/context.ts';
import { newApp } from '../request/hono.ts';
import { writeRequest } from '../request/write-request.ts';
import { writtenAnswer } from './written.ts';

/** Mounted below the registrar's contacts, whose middleware comes first. */
export const identification = newApp();

function clientsOf(c: AppContext): readonly IdentityClient[] {
  const { identityClients } = settings(c.env);
  if (identityClients.length > 0) return identityClients;
  throw notOffered();
}

identification.post('/verify/:code', async (c) => {
  const requested = await requestIdentification(
    database(c),
    c.var.login,
    c.req.param('code'),
    clientsOf(c),
    await writeRequest(c),
  );
  const { code, link } = requested.outcome;
  return writtenAnswer(c, requested, { contact: { id: code, code, link } });
});

for (const decision of ['approve', 'reject'] as const) {
  identification.post(`/${decision}_verification/:code`, async (c) => {
    const decided = await decideVerification(
      database(c),
      c.var.login,
      c.req.param('code'),
      decision,
      await writeRequest(c),
    );
    const { code } = decided.outcome;
    return writtenAnswer(c, decided, { contact: { id: code, code } });
  });
}

identification.get('/download_poi/:code', async (c) => {
  const { code } = c.req.param();
  // An id that moved in may be any text.
  const { id, pdf } = await getProof(database(c), c.var.login, code, clientsOf(c));
  return c.body(pdf, 200, {
    'Content-Type': 'application/pdf',
    'Content-Disposition': `inline; filename="proof_of_identity_${encodeURIComponent(id)}.pdf"`,
  });
});
