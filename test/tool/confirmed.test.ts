import { PassThrough } from 'node:stream';
import { beforeEach, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/base/database/open.ts';
import type { Origin } from '../../src/change/origin.ts';
import { importDomains } from '../../src/name/domain/operator/import.ts';
import { addRetainedDomains } from '../../src/name/retained/operator/change-names.ts';
import type { Bindings, OpenBindings } from '../../src/tool/bindings.ts';
import { runProgram } from '../../src/tool/program.ts';
import { named } from '../name/retained/records.ts';
import { operator } from '../support/fixtures.ts';
import { captured } from './captured.ts';
import { openKept, startTool, type TestRegistry } from './tool.ts';

const tool = startTool();
let registry: TestRegistry;

/** Runs the command on a terminal; while it asks, somebody else does something, and then the answer is yes. */
async function confirmWhile(
  args: string[],
  somebodyElse: (db: Database, origin: Origin) => Promise<unknown>,
) {
  let opened: Bindings | undefined;
  const open: OpenBindings = async (options, access) => {
    opened = await openKept(options, access);
    return opened;
  };
  const terminal = Object.assign(new PassThrough(), { isTTY: true });
  terminal.once('resume', async () => {
    const request = { ...operator.request, requestId: crypto.randomUUID() };
    const done = somebodyElse(openDatabase(opened!.env.DB), { ...operator, request });
    await done.finally(() => terminal.end('y\n'));
  });
  const place = ['--persist-to', registry.directory];
  return captured(() => runProgram([...args, ...place], open), terminal);
}

const adding = (db: Database, origin: Origin) =>
  addRetainedDomains({ db, origin }, [named('e.ee')]);
const importing = (name: string, registrant: string) => (db: Database, origin: Origin) =>
  importDomains({ db, origin }, [
    {
      ...{ name: `${name}.ee`, punycode: `${name}.ee`, registrar: 'ALPHA' },
      ...{ registrant: `ALPHA:${registrant}`, admin: [], tech: [] },
    },
  ]);

const refusal =
  'refused: somebody else changed this just now, so it was left as it is; look again\n';
const five = ['a.ee', 'b.ee', 'c.ee', 'd.ee', 'e.ee'];
const three = five.slice(0, 3);
const places: Record<string, string> = {};

beforeEach(async () => {
  registry = await tool.newRegistry('ALPHA');
  await registry.done('retained add a.ee b.ee c.ee d.ee --status reserved');
  await registry.addContacts('ALPHA:1', 'ALPHA:2');
  const domains = three.map((name) => `${name},ALPHA,ALPHA:1\n`).join('');
  await registry.done('domain import -', `name,registrar,registrant\n${domains}`);
  places.NAMES = await registry.file('names.csv', 'name\na.ee\n');
  const kept = 'name,registrar,registrant\na.ee,ALPHA,ALPHA:1\n';
  places.DOMAINS = await registry.file('domains.csv', kept);
});

const rowsLeft = async (table: string) =>
  ((await registry.rows())[table] as { name: string }[]).map(({ name }) => name);

test.each([
  [
    'a list that changed is not replaced',
    'retained import NAMES --status reserved --replace',
    adding,
    'This removes 3 of 4 reserved names.',
    five,
  ],
  [
    'names that were added do not go with those that were shown',
    'retained remove a.ee b.ee e.ee --status reserved',
    adding,
    'This removes 2 of 4 reserved names.',
    five,
  ],
  [
    'a domain that got another holder is not removed',
    'domain remove a.ee b.ee',
    importing('b', '2'),
    'This removes 2 of 3 domains.',
    three,
  ],
  [
    'a replacement keeps a domain that got another holder',
    'domain import DOMAINS --replace',
    importing('b', '2'),
    'This removes 2 of 3 domains.',
    three,
  ],
])('while the question stood: %s', async (_, command, somebodyElse, question, left) => {
  const args = command.split(' ').map((word) => places[word] ?? word);
  const { status, stderr } = await confirmWhile(args, somebodyElse);
  expect(stderr).toContain(`${question} Continue? [y/N] `);
  expect(stderr.slice(-refusal.length)).toBe(refusal);
  const table = command.startsWith('domain') ? 'domains' : 'retained_domains';
  expect({ status, names: await rowsLeft(table) }).toEqual({ status: 1, names: left });
});

test('what was confirmed goes, whatever else was added', async () => {
  const { status } = await confirmWhile(
    ['retained', 'remove', 'a.ee', 'b.ee', '--status', 'reserved'],
    adding,
  );
  expect({ status, names: await rowsLeft('retained_domains') }).toEqual({
    status: 0,
    names: ['c.ee', 'd.ee', 'e.ee'],
  });
});
