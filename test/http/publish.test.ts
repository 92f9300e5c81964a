import { beforeEach, expect, test } from 'vitest';
import { publishLists } from '../../src/http/publish.ts';
import { listNames } from '../../src/public-list/source.ts';
import { addAuction, emptyLists } from '../fixtures.ts';
import { published } from '../public-list/published.ts';
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
  await publishLists(worker.env, { cache }, listNames);
  await addAuction(worker.env);
  await publishLists(worker.env, { cache }, listNames);
  await publishLists(worker.env, { cache }, listNames);
  expect(purged).toEqual([
    ['list-auctions', 'list-all', 'list-reserved', 'list-blocked', 'list-disputed'],
    ['list-auctions'],
  ]);
});

test('publishes though the cache refuses to forget', async () => {
  const { cache } = contextWithCache(false);
  await publishLists(worker.env, { cache }, ['auctions']);
  expect((await published(worker.env, 'auctions')).body.count).toBe(0);
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
