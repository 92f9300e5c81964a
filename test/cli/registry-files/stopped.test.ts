import { expect, test } from 'vitest';
import { readFileOf, row, smallRegistry, writeFiles } from './files.ts';
import { startMoves } from './moves.ts';

const moves = startMoves();
const moveInUnasked = () => moves.registry.run(['move-in', moves.directory]);

function namesFile(count: number) {
  return Array.from({ length: count }, (_, n) => row.reserved(`kinni${n}.ee`));
}

test('asks before one kind loses much, however many rows the others keep', async () => {
  const blocked = ['paha.ee', 'kuri.ee'].map(row.blocked);
  await moves.moveIn({ reserved: namesFile(30), blocked });
  writeFiles(moves.directory, { reserved: namesFile(29), blocked: [row.blocked('uus.ee')] });
  const { status, stderr } = await moveInUnasked();
  expect(stderr).toContain('This removes 3 of 32 rows: 1 of 30 reserved, 2 of 2 blocked. ');
  expect(status).toBe(1);
  expect((await moves.registry.rows()).retained_domains).toHaveLength(32);
});

test('writes the report before it changes anything', async () => {
  const files = smallRegistry();
  await moves.moveIn(files);
  files.contacts = [row.contact(11, 'ALPHA', { phone: 'ei ole' })];
  files['domain-contacts'] = [row.link('õun.ee', 'ALPHA:11', 'registrant')];
  writeFiles(moves.directory, files);
  const { status, stderr } = await moveInUnasked();
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(/^refused: /) });
  expect(readFileOf(moves.directory, 'move-in-report')).toMatchObject([
    { file: 'contacts.csv', line: '2', column: 'phone', done: 'carried' },
  ]);
});

test.each([
  ['domain-contacts', '4 of 4 domain-contacts'],
  ['allowed-ips', '2 of 2 allowed-ips'],
])('asks before a file %s without rows takes everything away', async (name, statement) => {
  await moves.moveIn(smallRegistry());
  const before = await moves.registry.rows();
  await moves.begin();
  writeFiles(moves.directory, { [name]: [] });
  const { status, stderr } = await moveInUnasked();
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(statement) });
  expect(await moves.registry.rows()).toEqual(before);
});
