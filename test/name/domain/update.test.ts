import { expect, test } from 'vitest';
import { importDomains } from '../../../src/name/domain/operator/import.ts';
import { parseDomainName } from '../../../src/name/domain/operator/name.ts';
import { updateDomain } from '../../../src/name/domain/operator/update.ts';
import { getDomain } from '../../../src/name/domain/read.ts';
import { addContact, addRegistrar, unique } from '../../support/fixtures.ts';
import { shareWorker } from '../../support/worker.ts';

const worker = shareWorker();

test('updates of two roles at the same moment both take effect', async () => {
  const registrar = await addRegistrar(worker.env);
  const code = async () => (await addContact(worker.env, registrar)).code;
  const codes = { registrant: await code(), admin: [await code()], tech: [await code()] };
  const name = parseDomainName(`õun${unique()}.ee`);
  const record = { ...name, ...codes, registrar: registrar.code };
  await importDomains(worker.operation, [record]);
  const [admin, tech] = [[await code()], [await code()]];
  await Promise.all([
    updateDomain(worker.operation, name, { admin }),
    updateDomain(worker.operation, name, { tech }),
  ]);
  const { registrant } = codes;
  expect(await getDomain(worker.db, name.name)).toMatchObject({ registrant, admin, tech });
});
