import { expect, test } from 'vitest';
import type { Database } from '../../../src/base/database/open.ts';
import { deleteAnyContact, updateAnyContact } from '../../../src/contact/operator/administer.ts';
import { parseDomainName } from '../../../src/name/domain/operator/name.ts';
import { loadDomains } from '../../../src/name/domain/read.ts';
import type { ImportedDomain } from '../../../src/name/domain/record.ts';
import { removeDomains, saveDomain, saveDomains } from '../../../src/name/domain/save.ts';
import type { DomainName } from '../../../src/name/name.ts';
import { addContact, addDispute, addRegistrar, operator, unique } from '../../support/fixtures.ts';
import { aroundBatches, beforeBatch } from '../../support/meanwhile.ts';
import { historyOf } from '../../support/stored.ts';
import { shareWorker } from '../../support/worker.ts';

const worker = shareWorker();

async function prepare() {
  const registrar = await addRegistrar(worker.env);
  const { code } = await addContact(worker.env, registrar);
  const told = { registrar: registrar.code, registrant: code };
  const names = [1, 2, 3].map(() => parseDomainName(`many${unique()}.ee`));
  return { registrar, code, told, names };
}

/** Saves and deletes domains, the last of each name, and returns the problems. */
async function report(
  db: Database,
  domains: readonly (ImportedDomain | (DomainName & { isDeleted: true }))[],
) {
  const wanted = new Map(
    domains.map((each) => [each.name, 'isDeleted' in each ? undefined : each]),
  );
  return (await saveDomains({ db, origin: { ...operator } }, wanted)).problems;
}

const present = async (names: readonly { name: string }[]) => {
  const domains = await loadDomains(
    worker.db,
    names.map(({ name }) => name),
  );
  return names.map(({ name }) => domains.has(name));
};

test('domains are saved and deleted together, and one that is refused stops no other', async () => {
  const { told, names } = await prepare();
  const [first, second, third] = names;
  await report(worker.db, [{ ...first!, ...told }]);
  const problems = await report(worker.db, [
    { ...first!, isDeleted: true },
    { ...second!, ...told, registrant: 'NOBODY:1' },
    { ...third!, ...told },
  ]);
  expect(problems.get(second!.name)).toMatchObject([{ field: 'registrant' }]);
  expect(problems.size).toBe(1);
  expect(await present(names)).toEqual([false, false, true]);
});

test('of a name that is reported twice the later report counts, and the same batch again writes nothing', async () => {
  const { told, names } = await prepare();
  const [name] = names;
  const batch = [
    { ...name!, isDeleted: true as const },
    { ...name!, ...told },
  ];
  for (const _ of [1, 2]) await report(worker.db, batch);
  expect(await historyOf(worker.env, 'domain', name!)).toHaveLength(1);
});

test('a batch looks again when a domain changes, or a contact goes, before it is written', async () => {
  const { told, names, code } = await prepare();
  const [first, second] = names;
  const record = { ...first!, ...told, admin: [code], tech: [] };
  const changed = beforeBatch(worker.env, 1, () => saveDomain(worker.operation, record));
  await report(changed, [{ ...first!, ...told, tech: [code] }]);
  const [domain] = (await loadDomains(worker.db, [first!.name])).values();
  expect(domain).toMatchObject({ admin: [code], tech: [code] });

  const other = await prepare();
  const without = beforeBatch(worker.env, 1, () => deleteAnyContact(worker.operation, other.code));
  const problems = await report(without, [{ ...second!, ...other.told }]);
  expect([...problems.keys()]).toEqual([second!.name]);
});

test.each([
  ['in a batch', (db: Database, name: DomainName) => report(db, [{ ...name, isDeleted: true }])],
  [
    'by itself',
    (db: Database, name: DomainName) => removeDomains({ db, origin: { ...operator } }, [name.name]),
  ],
] as const)(
  'a domain that is deleted %s is deleted once, though D1 reports it as failed',
  async (_, remove) => {
    const { told, names } = await prepare();
    const [name] = names;
    const register = () => report(worker.db, [{ ...name!, ...told }]);
    await register();
    let isFirst = true;
    const db = aroundBatches(worker.env, async (send) => {
      const results = await send();
      if (!isFirst) return results;
      isFirst = false;
      // Somebody else gets the name.
      await register();
      throw new Error('D1_ERROR: Network connection lost.');
    });
    await remove(db, name!);
    expect(await present(names.slice(0, 1))).toEqual([true]);
  },
);

test("a command's later batch is written, though D1 failed before it", async () => {
  const { told, names } = await prepare();
  const [first, second] = names;
  await report(worker.db, [
    { ...first!, ...told },
    { ...second!, ...told },
  ]);
  const db = aroundBatches(worker.env, async (send, number) => {
    if (number === 2) throw new Error('D1_ERROR: Network connection lost.');
    return send();
  });
  const origin = { ...operator };
  for (const { name } of [first!, second!]) await removeDomains({ db, origin }, [name]);
  expect(await present([first!, second!])).toEqual([false, false]);
});

test("a disputed domain stays with its person, though the next contact becomes another person's in that moment", async () => {
  const { registrar, told, names } = await prepare();
  const [name] = names;
  const ident = `P${unique()}`;
  const [holder, next] = [
    await addContact(worker.env, registrar, { ident, identKey: ident }),
    await addContact(worker.env, registrar, { ident, identKey: ident }),
  ];
  await report(worker.db, [{ ...name!, ...told, registrant: holder.code }]);
  await addDispute(worker.env, { name: name!.name });
  const wanted = new Map([[name!.name, { ...name!, ...told, registrant: next.code }]]);
  const db = beforeBatch(worker.env, 2, async () => {
    await updateAnyContact(worker.operation, next.code, {
      ident: `Q${unique()}`,
      identCountryCode: 'LV',
    });
  });
  const { problems } = await saveDomains({ db, origin: { ...operator } }, wanted);
  expect(problems.get(name!.name)).toMatchObject([{ obstacle: 'disputed' }]);
  const domains = await loadDomains(worker.db, [name!.name]);
  expect(domains.get(name!.name)?.registrant).toBe(holder.code);
});
