import { PassThrough } from 'node:stream';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/base/database/open.ts';
import type { Origin } from '../../src/change/write.ts';
import { importDomains } from '../../src/name/domain/operator/import.ts';
import { addRetainedDomains } from '../../src/name/retained/change-names.ts';
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

const adding = (name: string) => (db: Database, origin: Origin) =>
  addRetainedDomains(db, origin, [named(name)]);

const refusal =
  'refused: somebody else changed this just now, so it was left as it is; look again\n';

describe('of names', () => {
  beforeEach(async () => {
    registry = await tool.newRegistry();
    await registry.done('retained add a.ee b.ee c.ee d.ee --status reserved');
  });

  async function namesLeft() {
    const { retained_domains: rows } = await registry.rows();
    return (rows as { name: string }[]).map(({ name }) => name);
  }

  test('a list that changed while the question stood is not replaced', async () => {
    const file = await registry.file('names.csv', 'name\na.ee\n');
    const args = ['retained', 'import', file, '--status', 'reserved', '--replace'];
    const { status, stderr } = await confirmWhile(args, adding('e.ee'));
    expect(stderr).toContain('This removes 3 of 4 reserved names. Continue? [y/N] ');
    expect(stderr.slice(-refusal.length)).toBe(refusal);
    expect({ status, names: await namesLeft() }).toEqual({
      status: 1,
      names: ['a.ee', 'b.ee', 'c.ee', 'd.ee', 'e.ee'],
    });
  });

  test('names that were added while the question stood do not go with those that were shown', async () => {
    const args = ['retained', 'remove', 'a.ee', 'b.ee', 'e.ee', '--status', 'reserved'];
    const { status, stderr } = await confirmWhile(args, adding('e.ee'));
    expect(stderr).toContain('This removes 2 of 4 reserved names. Continue? [y/N] ');
    expect(stderr.slice(-refusal.length)).toBe(refusal);
    expect({ status, names: await namesLeft() }).toEqual({
      status: 1,
      names: ['a.ee', 'b.ee', 'c.ee', 'd.ee', 'e.ee'],
    });
  });

  test('what was confirmed goes, whatever else was added', async () => {
    const args = ['retained', 'remove', 'a.ee', 'b.ee', '--status', 'reserved'];
    const { status } = await confirmWhile(args, adding('e.ee'));
    expect({ status, names: await namesLeft() }).toEqual({
      status: 0,
      names: ['c.ee', 'd.ee', 'e.ee'],
    });
  });
});

describe('of domains', () => {
  const contact = (suffix: string) => `ALPHA:${suffix}`;
  const record = (name: string, registrant: string) => ({
    ...{ name: `${name}.ee`, punycode: `${name}.ee`, registrar: 'ALPHA' },
    ...{ registrant: contact(registrant), admin: [], tech: [] },
  });
  const domainsLeft = async () =>
    ((await registry.rows()).domains as { name: string }[]).map(({ name }) => name);

  beforeAll(async () => {
    registry = await tool.newRegistry('ALPHA');
    await registry.addContacts(contact('1'), contact('2'));
    const domains = ['a', 'b', 'c'].map((name) => `${name}.ee,ALPHA,ALPHA:1\n`);
    await registry.done(
      'domain import - --format csv',
      `name,registrar,registrant\n${domains.join('')}`,
    );
  });

  test('a domain that got another holder while the question stood is not removed', async () => {
    const { status, stderr } = await confirmWhile(
      ['domain', 'remove', 'a.ee', 'b.ee'],
      (db, other) => importDomains(db, other, [record('b', '2')]),
    );
    expect(stderr).toContain('This removes 2 of 3 domains. Continue? [y/N] ');
    expect(stderr.slice(-refusal.length)).toBe(refusal);
    expect({ status, names: await domainsLeft() }).toEqual({
      status: 1,
      names: ['a.ee', 'b.ee', 'c.ee'],
    });
  });

  test('a replacement keeps a domain that got another holder while the question stood', async () => {
    const file = await registry.file(
      'domains.csv',
      'name,registrar,registrant\na.ee,ALPHA,ALPHA:1\n',
    );
    const args = ['domain', 'import', file, '--replace'];
    const { status, stderr } = await confirmWhile(args, (db, other) =>
      importDomains(db, other, [record('b', '1')]),
    );
    expect(stderr).toContain('This removes 2 of 3 domains. Continue? [y/N] ');
    expect(stderr).toContain(refusal);
    expect({ status, names: await domainsLeft() }).toEqual({
      status: 1,
      names: ['a.ee', 'b.ee', 'c.ee'],
    });
  });
});
