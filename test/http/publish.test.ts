import { beforeEach, expect, test } from 'vitest';
import { app } from '../../src/http/app.ts';
import { listNames } from '../../src/public-list/lists.ts';
import { publishAndPurge } from '../../src/public-list/publication.ts';
import { addAuction, emptyLists } from '../fixtures.ts';
import { published, withMethods } from '../public-list/published.ts';
import { startWorker } from '../worker.ts';

const worker = startWorker();
beforeEach(() => emptyLists(worker.env));

/** What a deployment's context has, and the local runtime's has not. */
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

test("has the platform's cache forget the lists that changed, and no other", async () => {
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

test('publishes though the cache refuses to forget', async () => {
  const { cache } = contextWithCache(false);
  await publishAndPurge(worker.env, { cache }, ['auctions']);
  expect((await published(worker.env, 'auctions')).body.count).toBe(0);
});

test('publishes one after the other what many reports change at once, and misses none', async () => {
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
  const later: Promise<unknown>[] = [];
  const context = {
    waitUntil: (work: Promise<unknown>) => void later.push(work),
    passThroughOnException() {},
    props: {},
  } as unknown as ExecutionContext;
  const report = ({ uuid }: { uuid: string }) =>
    app.request(
      `/api/v1/auctions/${uuid}`,
      {
        method: 'PATCH',
        headers: { 'Content-Type': 'application/json', 'CF-Connecting-IP': '127.0.0.1' },
        body: '{"status":"no_bids"}',
      },
      { ...worker.env, LISTS: kv },
      context,
    );

  await Promise.all(auctions.map(report));
  await Promise.all(later);

  expect((await published(worker.env, 'auctions')).body.count).toBe(0);
  expect(mostAtOnce).toBe(1);
  expect(puts).toBeLessThan(10);
});

test('logs one JSON line for every revalidation that is answered from memory', async () => {
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
});
