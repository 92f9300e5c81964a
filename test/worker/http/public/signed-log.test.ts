import { beforeAll, expect, it, vi } from 'vitest';
import type { Env } from '../../../../src/base/env.ts';
import { putDay } from '../../../../src/list/archive/day.ts';
import { openCheckpoint } from '../../../../src/list/log/operator/verify.ts';
import { appendToLog } from '../../../../src/list/log/signed-log.ts';
import { withMethods } from '../../../list/published.ts';
import { counted } from '../../../support/counted.ts';
import { answerHere, shareEmptyWorker } from '../../../support/worker.ts';

const worker = shareEmptyWorker();
const leaf = `all 2026-05-01 abc ${'0a'.repeat(32)} 3\n`;

beforeAll(async () => {
  const kept = { day: '2026-05-01', etag: 'abc', sha256: '0a'.repeat(32), count: 3, bytes: 9 };
  await putDay(worker.env.ARCHIVE!, { ...kept, list: 'all' });
  await appendToLog(worker.env);
});

/** Asks the Worker's code in this process, which remembers a checkpoint by its bucket. */
function ask(path: string, env: Partial<Env> = counted(worker.env).env): Promise<Response> {
  return answerHere(path, {}, env as Env);
}

const forEver = 'public, max-age=31536000, immutable';

it('the log has a checkpoint that opens with its key, fresh for a few seconds', async () => {
  const key = await ask('/log/key');
  const checkpoint = await ask('/log/checkpoint');
  for (const { status, headers } of [key, checkpoint]) {
    expect([status, headers.get('Content-Type'), headers.get('Cache-Control')]).toEqual([
      200,
      'text/plain; charset=utf-8',
      'public, max-age=5',
    ]);
  }
  const verifierKey = (await key.text()).replace(/\n$/, '');
  expect(await openCheckpoint(await checkpoint.text(), verifierKey)).toMatchObject({
    origin: 'localhost/log',
    size: 1,
  });
});

it.each([
  ['/log/tile/0/000.p/1', 32],
  ['/log/tile/entries/000.p/1', leaf.length + 2],
])('the log has the tile %s, for ever', async (path, bytes) => {
  const answer = await worker.fetch(path);
  const { status, headers } = answer;
  expect([status, headers.get('Content-Type'), headers.get('Cache-Control')]).toEqual([
    200,
    'application/octet-stream',
    forEver,
  ]);
  expect((await answer.arrayBuffer()).byteLength).toBe(bytes);
});

it.each([
  'tile/0/000',
  'tile/0/000.p/2',
  'tile/1/000.p/1',
  'tile/0/000.p/1/x',
  'tile/entries/..%2F..%2Fcheckpoint',
  'checkpoint/999999999998',
  'next/0',
  'x',
])('the log has no %s, and does not let caches keep that', async (path) => {
  const { status, headers } = await worker.fetch(`/log/${path}`);
  expect([status, headers.get('Cache-Control')]).toEqual([404, 'private, no-store']);
});

it('the log may be read by any page', async () => {
  for (const path of ['/log/checkpoint', '/log/key', '/log/tile/0/000.p/1', '/log/tile/0/999']) {
    const answer = await worker.fetch(path, { method: 'HEAD' });
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
    const preflight = await worker.fetch(path, { method: 'OPTIONS' });
    expect([preflight.status, preflight.headers.get('Allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
  }
});

it('the log has its checkpoint read once in five seconds, for all who ask', async () => {
  const now = Date.now();
  const { env, counts } = counted(worker.env);
  for (const [time, reads] of [
    [now, 1],
    [now + 4_999, 1],
    [now + 5_000, 2],
  ] as const) {
    vi.useFakeTimers({ now: time, toFake: ['Date'] });
    const answers = await Promise.all([1, 2].map(() => ask('/log/checkpoint', env)));
    vi.useRealTimers();
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(counts).toMatchObject({ r2Lists: reads, r2Reads: reads });
  }
});

it('the log has its checkpoint read again after a failure', async () => {
  let calls = 0;
  const list = (options: R2ListOptions) => {
    calls += 1;
    if (calls === 1) throw new Error('R2 failed');
    return worker.env.ARCHIVE!.list(options);
  };
  const env = { ...worker.env, ARCHIVE: withMethods(worker.env.ARCHIVE!, { list }) };
  expect((await ask('/log/checkpoint', env)).status).toBe(500);
  expect((await ask('/log/checkpoint', env)).status).toBe(200);
});

it.each<keyof Env>(['ARCHIVE', 'LOG_ORIGIN'])('the log is not there without %s', async (name) => {
  const { [name]: _, ...env } = worker.env;
  for (const path of ['/log/checkpoint', '/log/key', '/log/tile/0/000.p/1']) {
    const answer = await ask(path, env);
    expect([answer.status, await answer.json()]).toEqual([
      404,
      { errors: { base: ['is not in the log'] } },
    ]);
  }
  await appendToLog(env as Env);
});

it('the log is read without LOG_KEY, and then neither names a key nor grows', async () => {
  const { LOG_KEY: _, ...env } = worker.env;
  const paths = ['/log/checkpoint', '/log/tile/0/000.p/1', '/log/key'];
  expect(await Promise.all(paths.map(async (path) => (await ask(path, env)).status))).toEqual([
    200, 200, 404,
  ]);
  await appendToLog(env as Env);
});

it('the log is appended to without a database', async () => {
  const { DB: _, ...env } = worker.env;
  const kept = { day: '2026-05-02', etag: 'abd', sha256: '0b'.repeat(32), count: 3, bytes: 9 };
  await putDay(worker.env.ARCHIVE!, { ...kept, list: 'all' });
  await appendToLog(env as Env);
  const checkpoint = await (await ask('/log/checkpoint')).text();
  expect(checkpoint).toMatch(/^localhost\/log\n2\n/);
});

it('the log is not signed with the demo key in a deployment', async () => {
  const deployed = { ...worker.env, ENVIRONMENT: 'production' };
  await expect(appendToLog(deployed)).rejects.toThrow('the key of the log is the demo key');
});

it('the log has two keys while one follows another', async () => {
  const LOG_KEY_NEXT = Buffer.alloc(32, 'b').toString('base64');
  const answer = await ask('/log/key', { ...worker.env, LOG_KEY_NEXT });
  expect((await answer.text()).match(/^localhost\/log\+[0-9a-f]{8}\+\S{44}\n/gm)).toHaveLength(2);
});
