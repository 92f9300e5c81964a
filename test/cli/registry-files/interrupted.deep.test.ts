import { expect, test } from 'vitest';
import type { OpenBindings } from '../../../src/cli/bindings.ts';
import { runProgram } from '../../../src/cli/program.ts';
import { openBindings } from '../../../src/cli/registry.ts';
import { captured } from '../captured.ts';
import { startTool } from '../tool.ts';
import { movedRows, row, smallRegistry, writeFiles } from './files.ts';

const tool = startTool();

/** A registry whose server goes away in one batch of each command: before it, or after it has done it. */
function dyingIn(fatal: number, isDone: boolean): OpenBindings {
  let batches = 0;
  return async (options, access) => {
    const bindings = await openBindings(options, access);
    const { DB } = bindings.env;
    const batch = async (statements: D1PreparedStatement[]) => {
      batches += 1;
      const isFatal = batches === fatal;
      const results = isFatal && !isDone ? [] : await DB.batch(statements);
      if (isFatal) throw new Error('other side closed');
      return results;
    };
    const dying = { prepare: DB.prepare.bind(DB), batch } as unknown as D1Database;
    return { ...bindings, env: { ...bindings.env, DB: dying } };
  };
}

test('ends the same, however often it was interrupted, if it is repeated', async () => {
  const [one, other] = [await tool.newRegistry(), await tool.newRegistry()];
  const directory = await tool.newDirectory();
  const first = smallRegistry();
  const second = smallRegistry();
  second.contacts = [row.contact(31, 'BETA', { code: 'ALPHA:11' }), row.contact(15, 'BETA')];
  second['domain-contacts']!.splice(1, 1);
  second.registrars![0]!.name = 'Alfa';
  second.auctions!.shift();
  for (const files of [first, second]) {
    writeFiles(directory, files);
    await one.done(['move-in', directory, '--yes']);
    const args = ['move-in', directory, '--yes', '--persist-to', other.directory];
    let attempts = 0;
    for (let status: number | null = 1; status !== 0; attempts += 1) {
      const open = dyingIn(attempts + 1, attempts % 2 === 1);
      ({ status } = await captured(() => runProgram(args, open)));
      expect(attempts).toBeLessThan(30);
    }
    expect(attempts).toBeGreaterThan(3);
    expect(await movedRows(other)).toEqual(await movedRows(one));
    expect(await other.done(['reconcile', directory])).toMatchObject({ equal: true });
  }
});
