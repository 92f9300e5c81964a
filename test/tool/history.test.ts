import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { setClockAhead } from '../../src/base/time/clock.ts';
import { startTool } from './tool.ts';

const tool = startTool();
const registry = tool.sharedRegistry('ALPHA');

beforeAll(async () => {
  await registry.done(['registrar', 'update', 'ALPHA', '--name', 'Alpha AS']);
  await registry.done('retained add a.ee b.ee --status reserved');
  await registry.done('auction start kohv.ee');
});

// biome-ignore lint/suspicious/noExplicitAny: entries of history
async function entries(...args: string[]): Promise<any[]> {
  const { status, stdout } = await registry.run(['history', ...args, '--json']);
  expect(status).toBe(0);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

test('streams everything, the newest first, under the names of the nouns', async () => {
  const all = await entries();
  expect(all.map(({ subject, key, action }) => [subject, key, action])).toEqual([
    ['auction', 'kohv.ee', 'create'],
    ['retained', 'b.ee', 'create'],
    ['retained', 'a.ee', 'create'],
    ['registrar', 'ALPHA', 'update'],
    ['registrar', 'ALPHA', 'create'],
  ]);
  const { stdout } = await registry.run('history retained');
  expect(stdout).toMatch(
    /create retained b\.ee by Operator .*\n {4}status: null to "reserved"\n.*a\.ee/,
  );
});

test('alone, prints the newest ten, and how to see more', async () => {
  const registry = await tool.newRegistry();
  const names = Array.from({ length: 12 }, (_, number) => `nimi${number}.ee`);
  await registry.done(['retained', 'add', ...names, '--status', 'reserved']);
  const shown = async (...args: string[]) => {
    const { stdout, stderr } = await registry.run(['history', ...args]);
    const keys = [...stdout.matchAll(/ create retained (\S+) /g)].map(([, key]) => key);
    return { keys, stderr };
  };
  expect(await shown()).toEqual({
    keys: names.slice(2).reverse(),
    stderr: 'at most 10; --help says how to see others\n',
  });
  expect(await shown('show')).toMatchObject({ keys: names.slice(2).reverse() });
  for (const filter of ['retained', '--by=Operator', '--since=2020-01-01', '--until=2999-01-01']) {
    expect(await shown(filter)).toEqual({ keys: names.toReversed(), stderr: '' });
  }
  expect((await registry.run('history --csv')).stdout.split('\n')).toHaveLength(14);
});

test('filters by time, actor and request', async () => {
  const all = await entries();
  const requests = new Set(all.map(({ request_id }) => request_id));
  expect(requests.size).toBe(4);
  expect(await entries('--request', all[1].request_id)).toEqual(all.slice(1, 3));
  const [{ occurred_at: last }] = all;
  expect(await entries('--since', last)).toEqual(all.slice(0, 1));
  expect(await entries('--until', last)).toEqual(all.slice(1));
  const today = last.slice(0, 10);
  expect(await entries('--since', today, '--until', today)).toEqual(all);
  expect(await entries('--since', '2999-01-01')).toEqual([]);
  expect(await entries('--by', 'operator')).toEqual(all);
  expect(await entries('--last', '0')).toEqual([]);
  expect(await entries('--last', '2')).toEqual(all.slice(0, 2));
  expect(await entries('retained', '--last', '1')).toEqual(all.slice(1, 2));
  expect(await entries('--by', 'nobody')).toEqual([]);
  const { stdout } = await registry.run('history --by nobody');
  expect(stdout).toBe('nothing is recorded with --by "nobody"\n');
  expect((await registry.run('history --since yesterday')).status).toBe(2);
});

test('finds what was done under a request id, and what names it as its client reference', async () => {
  const registry = await tool.newRegistry();
  const { request_id } = await registry.done('retained add a.ee --status reserved');
  await registry.done(`history revert ${request_id} --yes`);
  const { stdout } = await registry.run(`history --request ${request_id} --csv`);
  expect(stdout.match(/(create|delete),/g)).toEqual(['delete,', 'create,']);
});

test('finds a deleted contact by its UUID, and a user whose name looks like one', async () => {
  const registry = await tool.newRegistry('ALPHA');
  await registry.addContacts('ALPHA:1');
  const { contact } = await registry.done('contact show ALPHA:1');
  await registry.done('contact delete ALPHA:1 --yes');
  const username = crypto.randomUUID();
  await registry.done(`api-user add --registrar ALPHA --username ${username}`);
  const about = async (noun: string, key: string) => {
    const { history } = await registry.done(`history ${noun} ${key}`);
    return history.map((entry: { action: string; key: string }) => [entry.action, entry.key]);
  };
  expect(await about('contact', contact.uuid)).toEqual([
    ['delete', 'ALPHA:1'],
    ['create', 'ALPHA:1'],
  ]);
  expect(await about('api-user', username)).toEqual([['create', username]]);
});

afterEach(() => setClockAhead(0));

test('hides no entry behind one whose clock is late, since a time', async () => {
  const registry = await tool.newRegistry();
  const add = (code: string) =>
    registry.done(['registrar', 'add', '--code', code, '--name', 'Alpha OÜ']);
  const twoMinutes = 2 * 60_000;
  const firstOfMonth = Date.parse('2027-01-01T00:00:00Z') - Date.now();
  setClockAhead(firstOfMonth);
  await add('FIRST');
  // Begun before the first entry, and written after it.
  setClockAhead(firstOfMonth - twoMinutes);
  await add('LATE');
  setClockAhead(firstOfMonth + twoMinutes);
  await add('LAST');
  const keysSince = async (time: string) =>
    (await registry.run(['history', '--since', time, '--json'])).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).key);
  expect(await keysSince('2027-01-01')).toEqual(['LAST', 'FIRST']);
  expect(await keysSince('2026-12-31')).toEqual(['LAST', 'LATE', 'FIRST']);
});

test('follows what comes later', async () => {
  const child = registry.start('history registrar ALPHA --follow --json');
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => lines.push(line));
  await once(reader, 'line');
  await registry.done(['registrar', 'update', 'ALPHA', '--name', 'Alpha OÜ']);
  while (lines.length < 3) await once(reader, 'line');
  child.kill('SIGINT');
  const [status] = await once(child, 'close');
  expect(status).toBe(130);
  expect(JSON.parse(lines[2]!)).toMatchObject({
    changes: { name: { from: 'Alpha AS', to: 'Alpha OÜ' } },
  });
});
