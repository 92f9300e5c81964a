import { beforeAll, describe, expect, it } from 'vitest';
import { putDay } from '../../src/archive/day.ts';
import type { Env } from '../../src/env.ts';
import { app } from '../../src/http/app.ts';
import { appendToLog } from '../../src/transparency/log.ts';
import { openCheckpoint } from '../../src/transparency/verify.ts';
import { shareEmptyWorker } from '../worker.ts';

const worker = shareEmptyWorker();
const leaf = `all 2026-05-01 abc ${'0a'.repeat(32)} 3\n`;

beforeAll(async () => {
  const kept = { day: '2026-05-01', etag: 'abc', sha256: '0a'.repeat(32), count: 3, bytes: 9 };
  await putDay(worker.env.ARCHIVE!, { ...kept, list: 'all' });
  await appendToLog(worker.env);
});

const forEver = 'public, max-age=31536000, immutable';

describe('the log', () => {
  it('has a checkpoint that opens with its key, fresh for a few seconds', async () => {
    const key = await worker.fetch('/log/key');
    const checkpoint = await worker.fetch('/log/checkpoint');
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
  ])('has the tile %s, for ever', async (path, bytes) => {
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
  ])('has no %s, and does not let caches keep that', async (path) => {
    const { status, headers } = await worker.fetch(`/log/${path}`);
    expect([status, headers.get('Cache-Control')]).toEqual([404, 'private, no-store']);
  });

  it('may be read by any page', async () => {
    for (const path of ['/log/checkpoint', '/log/key', '/log/tile/0/000.p/1', '/log/tile/0/999']) {
      const answer = await worker.fetch(path, { method: 'HEAD' });
      expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
      const preflight = await worker.fetch(path, { method: 'OPTIONS' });
      expect([preflight.status, preflight.headers.get('Allow')]).toEqual([
        204,
        'GET, HEAD, OPTIONS',
      ]);
    }
  });

  it.each<keyof Env>(['ARCHIVE', 'LOG_ORIGIN'])('is not there without %s', async (name) => {
    const { [name]: _, ...env } = worker.env;
    for (const path of ['/log/checkpoint', '/log/key', '/log/tile/0/000.p/1']) {
      const headers = { 'CF-Connecting-IP': '127.0.0.1' };
      const answer = await app.request(path, { headers }, env);
      expect([answer.status, await answer.json()]).toEqual([
        404,
        { errors: { base: ['is not in the log'] } },
      ]);
    }
    await appendToLog(env as Env);
  });

  it('is read without LOG_KEY, and then neither names a key nor grows', async () => {
    const { LOG_KEY: _, ...env } = worker.env;
    const headers = { 'CF-Connecting-IP': '127.0.0.1' };
    const paths = ['/log/checkpoint', '/log/tile/0/000.p/1', '/log/key'];
    const answers = paths.map(async (path) => (await app.request(path, { headers }, env)).status);
    expect(await Promise.all(answers)).toEqual([200, 200, 404]);
    await appendToLog(env as Env);
  });

  it('is appended to without a database', async () => {
    const { DB: _, ...env } = worker.env;
    const kept = { day: '2026-05-02', etag: 'abd', sha256: '0b'.repeat(32), count: 3, bytes: 9 };
    await putDay(worker.env.ARCHIVE!, { ...kept, list: 'all' });
    await appendToLog(env as Env);
    const checkpoint = await (await worker.fetch('/log/checkpoint')).text();
    expect(checkpoint).toMatch(/^localhost\/log\n2\n/);
  });

  it('is not signed with the demo key in a deployment', async () => {
    const deployed = { ...worker.env, ENVIRONMENT: 'production' };
    await expect(appendToLog(deployed)).rejects.toThrow('the key of the log is the demo key');
  });

  it('has two keys while one follows another', async () => {
    const LOG_KEY_NEXT = Buffer.alloc(32, 'b').toString('base64');
    const headers = { 'CF-Connecting-IP': '127.0.0.1' };
    const answer = await app.request('/log/key', { headers }, { ...worker.env, LOG_KEY_NEXT });
    expect((await answer.text()).match(/^localhost\/log\+[0-9a-f]{8}\+\S{44}\n/gm)).toHaveLength(2);
  });
});
