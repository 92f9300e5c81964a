import { expect, test } from 'vitest';
import { getRegistrar } from '../../../src/party/registrar/account.ts';
import { updateRegistrar } from '../../../src/party/registrar/operator/account.ts';
import { addRegistrar, operator } from '../../support/fixtures.ts';
import { shareWorker } from '../../support/worker.ts';

const worker = shareWorker();

test.each(['EESTI INTERNET', 'ZONE.EE', 'ÕUN', 'A'.repeat(100)])(
  'the code %s of a former registry can be held',
  async (code) => {
    expect(await addRegistrar(worker.env, { code })).toMatchObject({ code });
  },
);

test.each(['', 'zone', 'A:B', 'A\u0007', 'A\u007f', 'A'.repeat(101)])(
  'no registrar has the code %j',
  async (code) => {
    await expect(addRegistrar(worker.env, { code })).rejects.toThrow();
  },
);

test('updates a registrar whose addresses another program wrote as JSON of its own form', async () => {
  const { code } = await addRegistrar(worker.env);
  await worker.env.DB.prepare('update registrars set allowed_ips = ? where code = ?')
    .bind('[ "192.0.2.1", "2001:db8::\\/32" ]', code)
    .run();
  await updateRegistrar({ db: worker.db, origin: operator }, code, { name: 'Uus nimi' });
  expect(await getRegistrar(worker.db, code)).toMatchObject({
    name: 'Uus nimi',
    allowedIps: ['192.0.2.1', '2001:db8::/32'],
  });
});
