import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { dayOf, daysBefore } from '../../src/base/time/day.ts';
import { putDay } from '../../src/list/archive/day.ts';
import { type Signer, signCheckpoint, signerOf } from '../../src/list/log/note.ts';
import { appendToLog, signersOf } from '../../src/list/log/signed-log.ts';
import { bundle, leafHash, rootOf, tilePath } from '../../src/list/log/tree.ts';
import { startTool } from './tool.ts';

const registry = startTool().sharedRegistry();
const origin = 'registry.example/log';
let url: string;
let signer: Signer;
let count = 0;
let state: string;

/** The service's answers, by path and query. */
let answers: Map<string, string | Buffer>;
/** Its first answers, to anything. */
let refusals: { status: number; retryAfter: string }[];
const server = createServer((request, response) => {
  const refusal = refusals.shift();
  const body = answers.get(request.url!);
  if (refusal) response.writeHead(refusal.status, { 'Retry-After': refusal.retryAfter }).end();
  else response.writeHead(body === undefined ? 404 : 200).end(body);
});

beforeAll(async () => {
  signer = await signerOf(origin, Buffer.alloc(32, 'a').toString('base64'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());
beforeEach(() => {
  answers = new Map();
  refusals = [];
  count += 1;
  state = path.join(registry.directory, `state-${count}.json`);
});

/** The log ends a few days ago. */
const dayAt = (at: number) => daysBefore(dayOf(new Date()), 6 - at);

const bodyOf = (day: number) => {
  const names = Array.from({ length: Math.max(0, day) }, (_, at) => `{"name":"${at}.ee"}`);
  return `{"domains":[${names}],"count":${day}}`;
};
const leafOf = (day: number, body = bodyOf(day)) =>
  `blocked ${dayAt(day)} e${day} ${createHash('sha256').update(body).digest('hex')} ${Math.max(0, day)}\n`;

/** A service with a log of these leaves, and the list of each day. */
async function serve(leaves: string[], by = signer): Promise<void> {
  const entries = leaves.map((leaf) => new TextEncoder().encode(leaf));
  const root = await rootOf(await Promise.all(entries.map(leafHash)));
  const checkpoint = { origin, size: entries.length, root };
  answers.set('/log/key', `${signer.verifierKey}\n`);
  answers.set('/log/checkpoint', await signCheckpoint(checkpoint, [by]));
  answers.set(`/log/${tilePath('entries', 0, entries.length)}`, Buffer.from(bundle(entries)));
  for (const day of leaves.keys()) serveDay(day + 1, bodyOf(day + 1));
}

const placeOf = (day: number) => `/repp/v1/retained_domains?as_of=${dayAt(day)}&type=blocked`;
const serveDay = (day: number, body: string) => answers.set(placeOf(day), body);

const days = (last: number) => Array.from({ length: last }, (_, at) => leafOf(at + 1));
const verify = (...args: string[]) =>
  registry.run(['lists', 'verify', '--url', url, '--state', state, ...args]);

it('lists status says how many leaves the log has, and the key of its verifiers', async () => {
  expect((await registry.done('lists status')).log).toBeNull();
  const { env, dispose } = await registry.open();
  const kept = { day: '2026-05-01', etag: 'a', sha256: '0a'.repeat(32), count: 3, bytes: 9 };
  await putDay(env.ARCHIVE!, { ...kept, list: 'all' });
  await appendToLog(env);
  const [{ verifierKey }] = (await signersOf(env)) as [Signer];
  await dispose();
  expect((await registry.done('lists status')).log).toEqual({
    leaves: 1,
    keys: [verifierKey],
  });
  const { stdout } = await registry.run('lists status');
  expect(stdout).toMatch(`\n\nthe log has 1 leaf, signed by ${verifierKey}\n`);
});

it('lists verify says in one line what was proved, and fetches only what is new the next time', async () => {
  await serve(days(2));
  const first = await verify();
  expect(first).toMatchObject({ status: 0, stderr: '' });
  expect(first.stdout).toBe(
    `${url}: 2 leaves up to ${dayAt(2)} signed by ${signer.verifierKey} (the service's own word; give it with --key); ` +
      `lists served as they were logged: 2 (${dayAt(1)} to ${dayAt(2)})\n`,
  );
  await serve(days(3));
  answers.delete('/log/key');
  answers.delete(placeOf(1));
  const { status, stdout } = await verify();
  expect([status, stdout]).toEqual([
    0,
    `${url}: 3 leaves up to ${dayAt(3)} signed by ${signer.verifierKey}; the 2 seen before are among them; ` +
      `lists served as they were logged: 1 (${dayAt(3)} to ${dayAt(3)})\n`,
  ]);
});

it('lists verify answers in JSON', async () => {
  await serve(days(2));
  const { stdout } = await verify('--json', '--key', signer.verifierKey, '--since', dayAt(2));
  expect(JSON.parse(stdout)).toEqual({
    ...{ url, key: signer.verifierKey, key_known_before: true, leaves: 2 },
    ...{ newest_day: dayAt(2), seen_before: null },
    ...{ lists: 1, first_day: dayAt(2), last_day: dayAt(2), verified: true },
  });
});

it('lists verify fetches what is new, whatever --since says', async () => {
  await serve(days(2));
  await verify();
  await serve(days(4));
  const { stdout } = await verify('--since', dayAt(4));
  expect(stdout).toContain(`logged: 2 (${dayAt(3)} to ${dayAt(4)})\n`);
});

it('lists verify names a list that a later release has added, and tries it again', async () => {
  await serve(days(2).toSpliced(1, 0, leafOf(1).replace('blocked', 'later')));
  for (const _ of ['first', 'again']) {
    const { status, stderr } = await verify();
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining('is of a kind that this release does not know; but the log itself'),
    ]);
  }
  // Whichever release knows the list fetches it.
  expect(JSON.parse(readFileSync(state, 'utf8')).left).toEqual([1]);
});

it.each<[string, () => unknown, string]>([
  [
    'a checkpoint signed by another key',
    async () => serve(days(3), await signerOf(origin, Buffer.alloc(32, 'b').toString('base64'))),
    'the checkpoint has no valid signature of registry.example/log+',
  ],
  ['a shrunk log', () => serve(days(1)), 'it had 2 leaves, and now has 1'],
  [
    'a missing tile',
    () => answers.delete('/log/tile/entries/000.p/3'),
    'answers 404: there is no log, or not all of it',
  ],
  [
    'a tile of another width',
    () => answers.set('/log/tile/entries/000.p/3', answers.get('/log/tile/entries/000.p/2')!),
    'the log has lost leaves: 2 of 3 are there',
  ],
])('lists verify refuses %s, and keeps what it has seen', async (_, spoil, message) => {
  await serve(days(2));
  expect((await verify()).status).toBe(0);
  const seen = readFileSync(state, 'utf8');
  await serve(days(3));
  answers.set(
    '/log/tile/entries/000.p/2',
    Buffer.from(bundle(days(2).map((leaf) => Buffer.from(leaf)))),
  );
  await spoil();
  const { status, stdout, stderr } = await verify();
  expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining(message)]);
  expect(stderr.split('\n')).toHaveLength(2);
  expect(readFileSync(state, 'utf8')).toBe(seen);
});

it('lists verify goes on after a list that is wrong and one that is not served, and tries them again', async () => {
  await serve(days(3));
  serveDay(1, bodyOf(2));
  answers.delete(placeOf(2));
  const first = await verify();
  expect([first.status, first.stdout]).toEqual([1, '']);
  expect(first.stderr).toContain(
    `the list blocked of ${dayAt(1)} is not what was logged; ` +
      `the list blocked of ${dayAt(2)} is not served: 404; but the log itself is whole: `,
  );

  await serve(days(4));
  answers.delete(placeOf(2));
  const { status, stderr } = await verify();
  expect([status, stderr]).toEqual([1, expect.stringContaining('the 3 seen before are among')]);
  expect(stderr).not.toContain('is not what was logged');
  expect(stderr).toContain(`the list blocked of ${dayAt(2)} is not served: 404; but`);

  await serve(days(4));
  expect(await verify()).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(`logged: 1 (${dayAt(2)} to ${dayAt(2)})\n`),
  });
});

it('lists verify keeps what a forked log says with what it said before, and goes on saying so', async () => {
  await serve(days(2));
  await verify();
  const before = JSON.parse(readFileSync(state, 'utf8'));
  const forked = [leafOf(1, 'other'), ...days(3).slice(1)];
  await serve(forked);
  const found = 'the log is forked: its first 2 leaves are not those it had before';
  expect((await verify()).stderr).toBe(`failed: ${found}; the proof is in ${state}\n`);
  const proof = readFileSync(state, 'utf8');
  const contradiction = {
    ...{ found, key: signer.verifierKey, checkpoint: answers.get('/log/checkpoint') },
    leaves: forked,
  };
  expect(JSON.parse(proof)).toEqual({ ...before, contradiction });
  await serve(days(3));
  const { status, stderr } = await verify();
  expect([status, stderr]).toEqual([1, expect.stringContaining(`proof in ${state}\n`)]);
  expect(readFileSync(state, 'utf8')).toBe(proof);
});

it('lists verify keeps nothing as evidence that the key has not signed', async () => {
  await serve(days(2));
  await verify();
  const changed = bundle([leafOf(1, 'other'), leafOf(2)].map((leaf) => Buffer.from(leaf)));
  answers.set('/log/tile/entries/000.p/2', Buffer.from(changed));
  const { status, stderr } = await verify();
  expect([status, stderr]).toEqual([1, expect.stringMatching(/that its checkpoint signs\n$/)]);
});

it('lists verify fails if nothing was appended for more than a week', async () => {
  await serve([leafOf(-3)]);
  answers.set(placeOf(-3), bodyOf(-3));
  const { status, stderr } = await verify();
  expect([status, stderr]).toEqual([
    1,
    expect.stringContaining('nothing was appended to the log for more than a week: '),
  ]);
});

it('lists verify waits as a limit asks for, but not for ever', async () => {
  await serve(days(1));
  refusals = [{ status: 429, retryAfter: '0.01' }];
  expect((await verify()).status).toBe(0);
  refusals = Array.from({ length: 10 }, () => ({ status: 429, retryAfter: '0.01' }));
  expect(await verify()).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('answers 429'),
  });
});

it('lists verify refuses a list of another length than was logged', async () => {
  const body = bodyOf(2).replace(/,\{"name":"1.ee"\}/, '');
  await serve([leafOf(1), leafOf(2, body)]);
  serveDay(2, body);
  const { status, stderr } = await verify();
  expect([status, stderr]).toEqual([1, expect.stringContaining('has another number of entries')]);
});
