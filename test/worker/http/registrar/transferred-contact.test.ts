import { expect, test } from 'vitest';
import { transferContact } from '../../../../src/contact/operator/transfer.ts';
import { demandVerification } from '../../../../src/contact/verification/operator/demand.ts';
import { answerOf, registrarClient } from '../../../support/client.ts';
import { addContact, addRegistrar, operator, send } from '../../../support/fixtures.ts';
import { shareWorker } from '../../../support/worker.ts';

const worker = shareWorker();
const repp = registrarClient(worker);

test('a contact that goes to another registrar takes its demand along, but not who checked it', async () => {
  const [from, to] = [await addRegistrar(worker.env), await addRegistrar(worker.env)];
  const { code } = await addContact(worker.env, from);
  const verified = { claim: 'email', method: 'letter', reference: 'SECRET-REFERENCE' };
  const body = { verification: verified };
  const recorded = await repp.request(from, 'POST', `/${code}/verifications`, body);
  expect(recorded.status).toBe(200);
  await demandVerification(worker.db, operator, code, { claims: ['phone'], by: '2099-01-01' });
  await transferContact(worker.db, operator, code, to.code);
  const read = await repp.read(to, code);
  expect(read).toMatchObject({
    verifications: [{ claim: 'email', reference: null, verified_by: null }],
    verification_demand: { claims: ['phone'] },
  });
  const history = await answerOf(repp.request(to, 'GET', `/${code}/history`));
  expect(history.body.data.history.length).toBeGreaterThan(2);
  const shown = JSON.stringify(history.body.data.history.map(({ changes }: never) => changes));
  expect(shown).not.toContain(verified.reference);
  expect(shown).not.toContain(from.apiUser.username);
  const told = await answerOf(
    worker.fetch('/repp/v1/registrar/notifications/all_notifications', send('GET', to)),
  );
  const texts = told.body.data.map(({ text }: { text: string }) => text);
  expect(texts.join()).toContain(`Contact ${code} must be verified by 2099-01-01: phone`);
});
