import { expect, test } from 'vitest';
import { answerOf, refused, registrarClient } from '../../support/client.ts';
import { addContact, addRegistrar } from '../../support/fixtures.ts';
import { shareWorker } from '../../support/worker.ts';

const worker = shareWorker();
const repp = registrarClient(worker);

test('an identity service that never answers is not waited for, and nothing is stored', async () => {
  const registrar = await addRegistrar(worker.env);
  const code = `${registrar.code}:TIMEOUT`;
  await addContact(worker.env, registrar, { code });
  const before = await repp.read(registrar, code);
  const message = 'The identity service has failed; try again later';
  expect(await answerOf(repp.request(registrar, 'POST', `/verify/${code}`))).toEqual(
    refused(2400, message, null, 502),
  );
  expect(await repp.read(registrar, code)).toEqual(before);
});
