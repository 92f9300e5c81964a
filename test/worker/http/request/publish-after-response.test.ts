import { beforeEach, expect, inject, test, vi } from 'vitest';
import type { Env } from '../../../../src/base/env.ts';
import { listNames } from '../../../../src/list/lists.ts';
import { publishAndPurge } from '../../../../src/list/publish/publish.ts';
import { app } from '../../../../src/worker/http/app.ts';
import { publishAfterResponse } from '../../../../src/worker/http/request/publish-after-response.ts';
import { published, withMethods } from '../../../list/published.ts';
import { addAuction, emptyLists } from '../../../support/fixtures.ts';
import { startWorker } from '../../../support/worker.ts';

const worker = startWorker();
beforeEach(() => emptyLists(worker.env));

/** The part of a deployment's context that the local runtime lacks. */
function contextWithCache(success = true) {
  const purged: string[][] = [];
  const cache = {
    async purge({ tags }: { tags: string[] }) {
      purged.push(tags);
      return { success, errors: success ? [] : [{ code: 10000, message: 'rate limited' }] };
    },
  };
  return { cache, purged };
}

/** The context of a request, and the end of the work after its answer. */
function newContext() {
  const later: Promise<unknown>[] = [];
  const context = {
    waitUntil: (work: Promise<unknown>) => void later.push(work),
    passThroughOnException() {},
    props: {},
  } as unknown as ExecutionContext;
  return { context, finish: () => Promise.all(later) };
}

/** Waits for the work after the answer, too. */
async function reportNoBids(uuid: string, env: Env) {
  const { context, finish } = newContext();
  const headers = { 'Content-Type': 'application/json', 'CF-Connecting-IP': '127.0.0.1' };
  const init = { method: 'PATCH', headers, body: '{"status":"no_bids"}' };
  await app.request(`/api/v1/auctions/${uuid}`, init, env, context);
  await finish();
}

test("purges the lists that changed, and no others, from the platform's cache", async () => {
  const { cache, purged } = contextWithCache();
  await publishAndPurge(worker.env, { cache }, listNames);
  await addAuction(worker.env);
  await publishAndPurge(worker.env, { cache }, listNames);
  await publishAndPurge(worker.env, { cache }, listNames);
  expect(purged).toEqual([
    ['list-auctions', 'list-all', 'list-reserved', 'list-blocked', 'list-disputed'],
    ['list-auctions'],
  ]);
});

test('publishes even if the cache refuses the purge, and only warns', async () => {
  const { cache } = contextWithCache(false);
  const [warn, error] = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'error')];
  await publishAndPurge(worker.env, { cache }, ['auctions']);
  expect((await published(worker.env, 'auctions')).body.count).toBe(0);
  expect(warn.mock.calls.map(([line]) => JSON.parse(line).event)).toEqual(['purge_refused']);
  expect(error).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});

test('tries once more if publishing fails after an answer', async () => {
  const { uuid } = await addAuction(worker.env);
  await publishAndPurge(worker.env, {}, ['auctions']);
  let calls = 0;
  const kv = withMethods(worker.env.LISTS, {
    async list(options: KVNamespaceListOptions) {
      calls += 1;
      if (calls === 1) throw new Error('KV LIST failed: 503');
      return worker.env.LISTS.list(options);
    },
  });

  await reportNoBids(uuid, { ...worker.env, LISTS: kv });

  expect(calls).toBe(2);
  expect((await published(worker.env, 'auctions')).body.count).toBe(0);
});

test.each([
  ['is missing', 'list/'],
  ['lacks a block', 'block/'],
])('publishes a list that a reader finds: it %s', async (_, prefix) => {
  await addAuction(worker.env);
  await publishAndPurge(worker.env, {}, ['auctions']);
  const { keys } = await worker.env.LISTS.list({ prefix });
  for (const { name } of keys) await worker.env.LISTS.delete(name);

  // An isolate that remembers nothing.
  const env = { ...worker.env, LISTS: withMethods(worker.env.LISTS, {}) };
  const { context, finish } = newContext();
  const response = await app.request('/repp/v1/auctions', {}, env, context);
  expect(response.status).toBe(200);
  await response.arrayBuffer();
  await finish();

  expect((await published(worker.env, 'auctions')).body.count).toBe(1);
});

test('writes a list that lacks a block once, however many readers find that out', async () => {
  await addAuction(worker.env);
  await publishAndPurge(worker.env, {}, ['auctions']);
  const { keys } = await worker.env.LISTS.list({ prefix: 'block/' });
  for (const { name } of keys) await worker.env.LISTS.delete(name);
  let heads = 0;
  const kv = withMethods(worker.env.LISTS, {
    async put(key: string, value: ArrayBuffer, options: KVNamespacePutOptions) {
      if (key === 'list/auctions') heads += 1;
      return worker.env.LISTS.put(key, value, options);
    },
  });
  const { context, finish } = newContext();
  const ask = () => app.request('/repp/v1/auctions', {}, { ...worker.env, LISTS: kv }, context);
  const responses = await Promise.all([ask(), ask(), ask()]);
  // Those that do not get the list from the database stream it, and break off.
  await Promise.allSettled(responses.map((response) => response.arrayBuffer()));
  await finish();
  expect(heads).toBe(1);
});

test('writes a list that lacks a block again after half a minute, and at once if the clock was set back', async () => {
  await addAuction(worker.env);
  await publishAndPurge(worker.env, {}, ['auctions']);
  const kv = withMethods(worker.env.LISTS, {});
  const start = Date.now();
  const { publication } = (await published(worker.env, 'auctions')).metadata!;
  const publications = [publication];
  for (const seconds of [0, 29, 30, -3600]) {
    vi.useFakeTimers({ toFake: ['Date'], now: start + seconds * 1_000 });
    const { context, finish } = newContext();
    const c = { env: { ...worker.env, LISTS: kv }, executionCtx: context, var: {} };
    publishAfterResponse(c as never, ['auctions'], { isForced: true });
    await finish();
    publications.push((await published(worker.env, 'auctions')).metadata!.publication);
  }
  vi.useRealTimers();
  const changes = publications.slice(1).map((each, index) => each !== publications[index]);
  expect(changes).toEqual([true, false, true, true]);
});

test('publishes the changes of many simultaneous reports one after the other, and misses none', async () => {
  const auctions = await Promise.all(Array.from({ length: 30 }, () => addAuction(worker.env)));
  await publishAndPurge(worker.env, {}, ['auctions']);
  let [writing, puts, mostAtOnce] = [0, 0, 0];
  const kv = withMethods(worker.env.LISTS, {
    async put(key: string, value: ArrayBuffer, options: KVNamespacePutOptions) {
      puts += 1;
      writing += 1;
      mostAtOnce = Math.max(mostAtOnce, writing);
      await worker.env.LISTS.put(key, value, options);
      writing -= 1;
    },
  });

  const env = { ...worker.env, LISTS: kv };
  await Promise.all(auctions.map(({ uuid }) => reportNoBids(uuid, env)));

  expect((await published(worker.env, 'auctions')).body.count).toBe(0);
  expect(mostAtOnce).toBe(1);
  // Blocks, changes and head of a few publications.
  expect(puts).toBeLessThan(30);
});

test.runIf(inject('isDeep'))(
  'logs one JSON line for every revalidation that is answered from memory',
  async () => {
    const path = '/repp/v1/auctions';
    const etag = (await worker.fetch(path)).headers.get('ETag')!;
    const ids = [];
    for (let request = 0; request < 3; request++) {
      const response = await worker.fetch(path, { headers: { 'If-None-Match': etag } });
      ids.push(response.headers.get('X-Request-Id'));
    }
    const logged = () =>
      worker
        .logs()
        .flatMap(({ message }) => message.split('\n'))
        .filter((line) => line.includes('"status":304'))
        .map((line) => JSON.parse(line).request_id);
    await expect.poll(logged, { timeout: 10_000 }).toEqual(ids);
  },
);
