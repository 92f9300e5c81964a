import { expect, test } from 'vitest';
import { startTool } from '../tool.ts';
import { readFileOf, row, smallRegistry, writeFiles } from './files.ts';

const tool = startTool();

function namesFile(count: number) {
  return Array.from({ length: count }, (_, n) => row.reserved(`kinni${n}.ee`));
}

test('asks before one kind loses much, however many rows the others keep', async () => {
  const registry = await tool.newRegistry();
  const directory = await tool.newDirectory();
  const blocked = ['paha.ee', 'kuri.ee'].map(row.blocked);
  writeFiles(directory, { reserved: namesFile(30), blocked });
  await registry.done(['move-in', directory]);
  writeFiles(directory, { reserved: namesFile(29), blocked: [row.blocked('uus.ee')] });
  const { status, stderr } = await registry.run(['move-in', directory]);
  expect(stderr).toContain('This removes 3 of 32 rows: 1 of 30 reserved, 2 of 2 blocked. ');
  expect(status).toBe(1);
  expect((await registry.rows()).retained_domains).toHaveLength(32);
});

test('writes the report before it changes anything', async () => {
  const registry = await tool.newRegistry();
  const directory = await tool.newDirectory();
  const files = smallRegistry();
  writeFiles(directory, files);
  await registry.done(['move-in', directory]);
  files.contacts = [row.contact(11, 'ALPHA', { phone: 'ei ole' })];
  files['domain-contacts'] = [row.link('õun.ee', 'ALPHA:11', 'registrant')];
  writeFiles(directory, files);
  const { status, stderr } = await registry.run(['move-in', directory]);
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(/^refused: /) });
  expect(readFileOf(directory, 'move-in-report')).toMatchObject([
    { file: 'contacts.csv', line: '2', column: 'phone', done: 'carried' },
  ]);
});
