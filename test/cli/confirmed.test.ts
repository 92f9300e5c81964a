import { PassThrough } from 'node:stream';
import { beforeEach, expect, test } from 'vitest';
import { runProgram } from '../../src/cli/program.ts';
import { type Bindings, Session } from '../../src/cli/session.ts';
import { openDatabase } from '../../src/database/open.ts';
import { addRetainedDomains } from '../../src/retained-domain/change.ts';
import { operator } from '../fixtures.ts';
import { named } from '../retained-domain/records.ts';
import { captured } from './captured.ts';
import { startTool, type TestRegistry } from './tool.ts';

const tool = startTool();
let registry: TestRegistry;

beforeEach(async () => {
  registry = await tool.newRegistry();
  await registry.done(['retained', 'add', 'a.ee', 'b.ee', 'c.ee', 'd.ee', '--status', 'reserved']);
});

/** Runs the command on a terminal; while it asks, somebody else adds the names, and then the answer is yes. */
async function confirmWhileAdding(args: string[], names: string[]) {
  let opened: Bindings | undefined;
  class ThisSession extends Session {
    override async bindings(...given: Parameters<Session['bindings']>) {
      opened = await super.bindings(...given);
      return opened;
    }
  }
  const terminal = Object.assign(new PassThrough(), { isTTY: true });
  terminal.once('resume', async () => {
    await addRetainedDomains(
      openDatabase(opened!.env.DB),
      operator,
      names.map((name) => named(name)),
    );
    terminal.end('y\n');
  });
  await using session = new ThisSession();
  const place = ['--persist-to', registry.directory];
  return captured(() => runProgram([...args, ...place], session), terminal);
}

const refusal =
  'refused: somebody else changed these rows just now; nothing was done, look again\n';

async function namesLeft() {
  const { retained_domains: rows } = await registry.rows();
  return (rows as { name: string }[]).map(({ name }) => name);
}

test('a list that changed while the question stood is not replaced', async () => {
  const file = await registry.file('names.csv', 'name\na.ee\n');
  const args = ['retained', 'import', file, '--status', 'reserved', '--replace'];
  const { status, stderr } = await confirmWhileAdding(args, ['e.ee']);
  expect(stderr).toContain('This removes 3 of 4 reserved names. Continue? [y/N] ');
  expect(stderr.slice(-refusal.length)).toBe(refusal);
  expect({ status, names: await namesLeft() }).toEqual({
    status: 1,
    names: ['a.ee', 'b.ee', 'c.ee', 'd.ee', 'e.ee'],
  });
});

test('names that were added while the question stood do not go with those that were shown', async () => {
  const args = ['retained', 'remove', 'a.ee', 'b.ee', 'e.ee', '--status', 'reserved'];
  const { status, stderr } = await confirmWhileAdding(args, ['e.ee']);
  expect(stderr).toContain('This removes 2 of 4 reserved names. Continue? [y/N] ');
  expect(stderr.slice(-refusal.length)).toBe(refusal);
  expect({ status, names: await namesLeft() }).toEqual({
    status: 1,
    names: ['a.ee', 'b.ee', 'c.ee', 'd.ee', 'e.ee'],
  });
});

test('what was confirmed goes, whatever else was added', async () => {
  const args = ['retained', 'remove', 'a.ee', 'b.ee', '--status', 'reserved'];
  const { status } = await confirmWhileAdding(args, ['e.ee']);
  expect({ status, names: await namesLeft() }).toEqual({
    status: 0,
    names: ['c.ee', 'd.ee', 'e.ee'],
  });
});
