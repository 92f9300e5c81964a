import { gunzipSync } from 'node:zlib';
import { beforeEach, expect, test } from 'vitest';
import type { Env } from '../../src/base/env.ts';
import { blockKey } from '../../src/list/kv.ts';
import { listNames } from '../../src/list/lists.ts';
import { publish } from '../../src/list/publish/publish.ts';
import { readChanges } from '../../src/list/read/changes.ts';
import { expireCopies, memoryOf } from '../../src/list/read/memory.ts';
import { readList } from '../../src/list/read/whole-list.ts';
import { counted } from '../support/counted.ts';
import { addAuction, emptyLists } from '../support/fixtures.ts';
import { shareEmptyWorker } from '../support/worker.ts';
import { published, withMethods } from './published.ts';
import { failingDatabase, failingKv, newReader } from './reader.ts';

const worker = shareEmptyWorker();
const noon = new Date('2026-05-05T12:00:00Z');
beforeEach(() => emptyLists(worker.env));

/** A reader in an isolate of its own, and what it has asked of the bindings. */
function reader(overrides: Partial<Env> = {}) {
  const { env, counts } = counted({ ...worker.env, ...overrides });
  let now = noon;
  const { reader: context, background } = newReader(env, () => now);
  return {
    counts,
    background,
    context,
    read: (isKnown = (_etag: string) => false) => readList('auctions', context, isKnown),
    pass(seconds: number) {
      now = new Date(now.getTime() + seconds * 1000);
    },
  };
}

const publishAll = () =>
  publish({ db: worker.db, kv: worker.env.LISTS, clock: () => noon }, listNames);

async function countIn(body: unknown): Promise<number> {
  const bytes = await new Response(body as BodyInit).arrayBuffer();
  return JSON.parse(gunzipSync(bytes).toString()).count;
}

test('reads KV once and the database never', async () => {
  await publishAll();
  const { read, counts } = reader();
  const { etag, body } = await read();
  expect(etag).toBe((await published(worker.env, 'auctions')).metadata!.etag);
  expect(await countIn(body)).toBe(0);
  expect(counts).toMatchObject({ kvReads: 1, d1RoundTrips: 0 });
});

test('touches no body for a client that has the list', async () => {
  await publishAll();
  const { read, counts } = reader();
  expect((await read(() => true)).body).toBeUndefined();
  expect(counts).toMatchObject({ kvReads: 1, d1RoundTrips: 0 });
});

test('answers from memory for a few seconds, then looks at KV again', async () => {
  await publishAll();
  const { read, counts, pass } = reader();
  await read();
  pass(4.9);
  await read();
  await read(() => true);
  expect(counts.kvReads).toBe(1);
  pass(0.2);
  await read();
  expect(counts).toMatchObject({ kvReads: 2, d1RoundTrips: 0 });
});

test('forgets what it remembers when the isolate itself has published', async () => {
  await publishAll();
  const { read, counts, context } = reader();
  await read();
  expireCopies(context.kv, ['auctions']);
  await read();
  expect(counts.kvReads).toBe(2);
});

test('builds, serves and stores the list where KV is empty', async () => {
  await addAuction(worker.env);
  const { read, background } = reader();
  expect(await countIn((await read()).body)).toBe(1);
  await Promise.all(background);
  expect((await published(worker.env, 'auctions')).body.count).toBe(1);
});

test('shares one build among requests that come at once', async () => {
  await addAuction(worker.env);
  let pages = 0;
  const DB = withMethods(worker.env.DB, {
    prepare: (query: string) => {
      if (query.includes('name >= ?')) pages += 1;
      return worker.env.DB.prepare(query);
    },
  });
  const { read, background } = reader({ DB });
  const answers = await Promise.all(Array.from({ length: 20 }, () => read()));
  await Promise.all(background);
  expect(new Set(answers.map(({ etag }) => etag)).size).toBe(1);
  // The list is built once for the answers, and once to be published.
  expect(pages).toBe(2);
});

test('builds again for the next request where a build has failed', async () => {
  let isDown = true;
  const DB = withMethods(worker.env.DB, {
    prepare: (query: string) => {
      if (isDown) throw new Error('D1_ERROR: Network connection lost.');
      return worker.env.DB.prepare(query);
    },
  });
  const { read, background } = reader({ DB });
  await expect(read()).rejects.toThrow();
  isDown = false;
  expect(await countIn((await read()).body)).toBe(0);
  await Promise.all(background);
});

test('serves from the database while KV is down, and writes nothing', async () => {
  await addAuction(worker.env);
  const { read, background } = reader({ LISTS: failingKv(worker.env) });
  expect(await countIn((await read()).body)).toBe(1);
  await Promise.all(background);
  expect((await worker.env.LISTS.list()).keys).toEqual([]);
});

test('serves an older copy in memory while KV has no list and the database is down', async () => {
  await addAuction(worker.env);
  await publishAll();
  const { read, pass } = reader({ DB: failingDatabase(worker.env) });
  await read();
  const { keys } = await worker.env.LISTS.list({ prefix: 'list/' });
  for (const { name } of keys) await worker.env.LISTS.delete(name);
  pass(3600);
  expect(await countIn((await read()).body)).toBe(1);
});

test.each([
  ['later', 31],
  ['once the clock was set back', -3600],
])(
  'streams a list to others while one request that was cut off fetches it, and fetches it again %s',
  async (_, seconds) => {
    await addAuction(worker.env);
    await publishAll();
    let isHanging = true;
    const { context, pass } = reader();
    const kv = withMethods(context.kv, {
      get: (...values: unknown[]) => {
        if (isHanging) return new Promise(() => {});
        return (worker.env.LISTS.get as (...values: unknown[]) => unknown)(...values);
      },
    });
    const read = () => readList('auctions', { ...context, kv }, () => false);
    read();
    await expect.poll(() => memoryOf(kv).find('auctions')).toBeDefined();
    // The first request is past its head now, and never gets its block.
    await new Promise((resolve) => setImmediate(resolve));
    isHanging = false;

    expect((await read()).body).toBeInstanceOf(ReadableStream);
    pass(seconds);
    expect((await read()).body).toBeInstanceOf(Uint8Array);
  },
);

test('answers from the database where KV lacks a block, and publishes the list again', async () => {
  await addAuction(worker.env);
  await publishAll();
  const { head } = await published(worker.env, 'auctions');
  await worker.env.LISTS.delete(blockKey('auctions', head!.blocks[0]!));
  const { read, background } = reader();

  const { body, etag } = await read();

  expect(await countIn(body)).toBe(1);
  expect(etag).toBe(head!.etag);
  while (background.length > 0) await background.shift();
  expect((await published(worker.env, 'auctions')).body.count).toBe(1);
});

test('looks again for changes that KV has not shown yet', async () => {
  await publishAll();
  const { etag: since } = await reader().read();
  await addAuction(worker.env);
  await publishAll();
  const { context } = reader();
  let areShown = false;
  const get = async (key: string, options: never) =>
    !areShown && key.startsWith('changes/') ? null : context.kv.get(key, options);
  const late = { ...context, kv: withMethods(context.kv, { get }) };
  expect(await readChanges('auctions', since, late)).toBeUndefined();
  areShown = true;
  expect((await readChanges('auctions', since, late))?.difference.added).toHaveLength(1);
});
