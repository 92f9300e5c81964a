import { expect, test } from 'vitest';
import { archiveHistory } from '../../../src/cli/nouns/history/archive.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { row, smallRegistry } from './files.ts';
import { startMoves } from './moves.ts';

const moves = startMoves();
const { moveIn } = moves;

/** Moves all entries of history but the newest to a file. */
async function archiveAll(): Promise<void> {
  const { env, dispose } = await moves.registry.open();
  const file = `${moves.directory}/history.ndjson`;
  await archiveHistory(openDatabase(env.DB), '2999-01-01T00:00:00.000Z', file, { limit: 7 });
  await dispose();
}

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
