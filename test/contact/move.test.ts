import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { contacts } from '../../drizzle/schema.ts';
import { deleteAnyContact, updateAnyContact } from '../../src/contact/operator/administer.ts';
import { importContacts } from '../../src/contact/operator/import.ts';
import { contactsOfBatch, moveContacts } from '../../src/contact/operator/move.ts';
import { importDomains } from '../../src/name/domain/operator/import.ts';
import { parseDomainName } from '../../src/name/domain/operator/name.ts';
import { transferDomains } from '../../src/name/domain/operator/transfer.ts';
import { addContact, addRegistrar, contactValues, operator, unique } from '../support/fixtures.ts';
import { beforeBatch } from '../support/meanwhile.ts';
import { shareWorker } from '../support/worker.ts';

const worker = shareWorker();

/** The domain of a registrar that ends has been transferred; its holder has a copy, and another contact none. */
async function transferred() {
  const [from, to] = [await addRegistrar(worker.env), await addRegistrar(worker.env)];
  const holder = await addContact(worker.env, from);
  const other = await addContact(worker.env, from);
  const name = parseDomainName(`lõpp${unique()}.ee`);
  const record = { ...name, registrar: from.code, registrant: holder.code };
  await importDomains(worker.operation, [record]);
  await transferDomains({ ...worker.operation }, [name.name], to.code);
  return { from, to, holder, other, record };
}

/** The copies' names, and the codes that stay or are handed over. */
async function contactsOf({ id }: { id: number }) {
  const rows = await worker.db.select().from(contacts).where(eq(contacts.registrarId, id));
  return rows.map(({ code, name }) => [code, name]);
}

/** Moves while somebody else writes between the look and the batch. */
function moveBeside(
  { from, to }: Awaited<ReturnType<typeof transferred>>,
  write: () => Promise<unknown>,
) {
  const db = beforeBatch(worker.env, 2, async () => void (await write()));
  return moveContacts({ db, origin: { ...operator } }, from.code, to.code, 0);
}

it('hands over a contact instead of deleting it, if it is changed in that moment', async () => {
  const all = await transferred();
  const { holder, other } = all;
  const change = () => updateAnyContact(worker.operation, holder.code, { name: 'Uus Nimi' });
  expect(await moveBeside(all, change)).toMatchObject({ handedOver: 2, deleted: 0 });
  expect(await contactsOf(all.to)).toEqual(
    expect.arrayContaining([
      [holder.code, 'Uus Nimi'],
      [other.code, other.name],
    ]),
  );
});

it('keeps a contact to which a domain refers since that moment', async () => {
  const all = await transferred();
  const { from, other } = all;
  const name = parseDomainName(`uus${unique()}.ee`);
  const record = { ...name, registrar: from.code, registrant: other.code };
  const link = () => importDomains(worker.operation, [record]);
  expect(await moveBeside(all, link)).toEqual({
    handedOver: 0,
    deleted: 1,
    kept: [{ code: other.code, domain: name.name, registrar: from.code }],
    last: undefined,
  });
  expect(await contactsOf(from)).toEqual([[other.code, other.name]]);
});

it('says where to go on after a full batch', async () => {
  const [from, to] = [await addRegistrar(worker.env), await addRegistrar(worker.env)];
  const records = Array.from({ length: contactsOfBatch + 1 }, (_, n) => ({
    ...contactValues,
    ...{ code: `${from.code}:${n}`, registrar: from.code },
  }));
  await importContacts({ ...worker.operation }, records);
  const move = (after: number) => moveContacts({ ...worker.operation }, from.code, to.code, after);
  const { handedOver, last } = await move(0);
  expect(handedOver).toBe(contactsOfBatch);
  expect(await move(last!)).toMatchObject({ handedOver: 1, last: undefined });
});

it('deletes a contact that gets a copy in that moment', async () => {
  const all = await transferred();
  const { from, to, other } = all;
  const name = parseDomainName(`uus${unique()}.ee`);
  const copy = async () => {
    const record = { ...name, registrar: from.code, registrant: other.code };
    await importDomains(worker.operation, [record]);
    await transferDomains({ ...worker.operation }, [name.name], to.code);
  };
  expect(await moveBeside(all, copy)).toMatchObject({ handedOver: 0, deleted: 2 });
});

it('keeps a copy that was changed, and the original beside it', async () => {
  const all = await transferred();
  const { holder, to } = all;
  const [copy] = await contactsOf(to);
  const change = () => updateAnyContact(worker.operation, copy![0]!, { name: 'Uus Nimi' });
  expect(await moveBeside(all, change)).toMatchObject({ handedOver: 2, deleted: 0 });
  expect(await contactsOf(to)).toEqual(expect.arrayContaining([[holder.code, holder.name]]));
});

it('goes on without a contact that is deleted in that moment', async () => {
  const all = await transferred();
  const remove = () => deleteAnyContact(worker.operation, all.other.code);
  expect(await moveBeside(all, remove)).toMatchObject({ handedOver: 0, deleted: 1 });
});

it('is made once by two moves at the same time', async () => {
  const all = await transferred();
  const { from, to } = all;
  const again = () => moveContacts({ ...worker.operation }, from.code, to.code, 0);
  expect(await moveBeside(all, again)).toMatchObject({ handedOver: 0, deleted: 0, kept: [] });
  expect(await contactsOf(from)).toEqual([]);
  expect(await contactsOf(to)).toHaveLength(2);
});
