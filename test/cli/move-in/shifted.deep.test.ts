import { expect, test } from 'vitest';
import { startTool } from '../tool.ts';
import { row, uuidOf, writeFiles } from './files.ts';

const tool = startTool();

test('gives more contacts than one batch holds the ids of their neighbours, up and down', async () => {
  const registry = await tool.newRegistry();
  const directory = await tool.newDirectory();
  const contacts = (shift: number) =>
    Array.from({ length: 1_100 }, (_, n) =>
      row.contact(n + 1 + shift, 'ALPHA', { code: `ALPHA:${n}`, uuid: uuidOf(n) }),
    );
  const registrars = [row.registrar(7, 'ALPHA')];
  writeFiles(directory, { registrars, contacts: contacts(0) });
  await registry.done(['move-in', directory]);
  for (const shift of [1, 0]) {
    writeFiles(directory, { contacts: contacts(shift) });
    const { kinds } = await registry.done(['move-in', directory]);
    expect(kinds).toContainEqual(
      expect.objectContaining({ kind: 'contacts', updated: 1_100, conflicts: 0 }),
    );
  }
});
