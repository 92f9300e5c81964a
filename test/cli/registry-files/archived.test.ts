import { expect, test } from 'vitest';
import { archiveHistory } from '../../../src/cli/nouns/history/archive.ts';
import { deleteOrphans } from '../../../src/contact/orphans.ts';
import { removeOldValues } from '../../../src/contact/recorded-values.ts';
import { type Database, openDatabase } from '../../../src/database/open.ts';
import { row, smallRegistry } from './files.ts';
import { startMoves } from './moves.ts';

const moves = startMoves();
const { moveIn } = moves;

const future = '2999-01-01T00:00:00.000Z';

async function inDatabase(work: (db: Database) => Promise<unknown>): Promise<void> {
  const { env, dispose } = await moves.registry.open();
  await work(openDatabase(env.DB));
  await dispose();
}

/** Moves all entries of history but the newest to a file. */
const archiveAll = () =>
  inDatabase((db) => archiveHistory(db, future, `${moves.directory}/history.ndjson`, { limit: 7 }));

test('what was erased or deleted here does not move in again after its history was archived', async () => {
  const files = smallRegistry();
  const others = [31, 32, 33, 34].map((id) => row.contact(id, 'ALPHA'));
  files.contacts!.push(...others);
  await moveIn(files);
  // The files themselves take these two away, and one of them is then erased.
  await moveIn({ contacts: files.contacts!.filter(({ id }) => Number(id) < 33) });
  await moves.registry.done('contact erase ALPHA:31 --yes');
  await moves.registry.done('contact delete ALPHA:32 --yes');
  await moves.registry.done('contact erase ALPHA:33 --yes');
  await moves.registry.done('retained remove riigikogu.ee --status reserved --yes');
  const { fingerprint } = files.certificates![0]!;
  await moves.registry.done(`certificate unbind --user ats --fingerprint ${fingerprint}`);
  await moves.registry.done('registrar update BETA --name Beeta');
  await archiveAll();

  files.blocked!.push(row.blocked('riigikogu.ee'));
  const { lines, counts } = await moveIn({ ...files, registrars: [] });
  const skipped = lines.map((line) => line.replace(/ "\{.*\}"/, ''));
  expect(skipped.filter((line) => line.endsWith('was deleted here'))).toEqual([
    `certificates.csv:2 ats ${fingerprint}  conflict: was deleted here`,
    'contacts.csv:5 ALPHA:31  conflict: was deleted here',
    'contacts.csv:6 ALPHA:32  conflict: was deleted here',
    'contacts.csv:7 ALPHA:33  conflict: was deleted here',
    'reserved.csv:2 riigikogu.ee  conflict: was deleted here',
  ]);
  expect(counts).toMatchObject({ contacts: { added: 1 }, blocked: { added: 1 } });
});

test('a contact that was erased here does not move in again under another code', async () => {
  const files = smallRegistry();
  const erased = row.contact(31, 'ALPHA');
  await moveIn({ ...files, contacts: [...files.contacts!, erased] });
  await moves.registry.done('contact erase ALPHA:31 --yes');

  const renamed = { ...files, contacts: [...files.contacts!, { ...erased, code: 'ALPHA:NEW' }] };
  const conflict = 'contacts.csv:5 ALPHA:NEW  conflict: was deleted here';
  const conflicts = ({ lines }: { lines: string[] }) =>
    lines.map((line) => line.replace(/ "\{.*\}"/, ''));
  expect(conflicts(await moveIn(renamed))).toEqual([conflict]);
  await archiveAll();
  expect(conflicts(await moveIn(renamed))).toEqual([conflict]);
});

test('what only the scheduled run deleted here moves in again, though values of its changes were removed and archived', async () => {
  const files = smallRegistry();
  const contact = row.contact(31, 'ALPHA');
  files.contacts!.push(contact);
  await moveIn(files);
  await moves.registry.done('contact update ALPHA:31 --phone +372.5999999 --yes');
  await inDatabase(async (db) => {
    await deleteOrphans(db, future, { at: new Date(), requestId: crypto.randomUUID() });
    await removeOldValues(db, future);
  });
  await moves.registry.done('registrar update BETA --name Beeta');
  await archiveAll();
  const { counts } = await moveIn({ contacts: files.contacts! });
  expect(counts).toMatchObject({ contacts: { added: 1 } });
});
