import { expect, test } from 'vitest';
import { dayOf, daysBefore } from '../../../src/base/time/day.ts';
import { listNames } from '../../../src/list/lists.ts';
import { publish } from '../../../src/list/publish/publish.ts';
import { nameOf, seedRetainedNames } from '../../support/seed.ts';
import { onTheWire } from '../../support/wire.ts';
import { startWorkerFrom } from '../../support/worker.ts';
import { published } from '../published.ts';
import { useSmallBlocks } from '../small-blocks.ts';

const sizes = { minimum: 128, mean: 256, maximum: 1_024 };
const worker = startWorkerFrom('test/list/archive/small-blocks-worker.ts', {
  BLOCK_SIZES: JSON.stringify(sizes),
});
useSmallBlocks(sizes);

const path = '/repp/v1/retained_domains';

/** The list on the wire, in gzip. */
async function fetched(query = '') {
  const headers = { 'Accept-Encoding': 'gzip' };
  const answer = await onTheWire(worker.url, path + query, { headers });
  return { status: answer.status, etag: answer.headers.etag, bytes: answer.bytes };
}

async function publishedBlocks(): Promise<number> {
  const lists = await Promise.all(listNames.map((list) => published(worker.env, list)));
  return lists.reduce((sum, { head }) => sum + head!.blocks.length, 0);
}

test('a day of 100,000 names in hundreds of blocks is archived after they have changed', async () => {
  const { env, db } = worker;
  const yesterday = daysBefore(dayOf(new Date()), 1);
  await seedRetainedNames(env, 100_000);
  await publish({ db, kv: env.LISTS, clock: () => new Date(`${yesterday}T12:00:00Z`) }, listNames);
  const seen = await fetched();
  const blocks = await publishedBlocks();
  expect(blocks).toBeGreaterThan(500);
  const gone = Array.from({ length: 50 }, (_, n) => nameOf(n).name);
  await env.DB.prepare(
    'delete from retained_domains where name in (select value from json_each(?))',
  )
    .bind(JSON.stringify(gone))
    .run();
  await publish({ db, kv: env.LISTS, clock: () => new Date() }, listNames);

  await worker.scheduled('1 0 * * *');

  const archived = await fetched(`?as_of=${yesterday}`);
  expect([archived.status, archived.etag]).toEqual([200, seen.etag]);
  expect(archived.bytes.equals(seen.bytes)).toBe(true);
  const asked = await fetch(new URL('/operations', worker.url));
  const operations = (await asked.json()) as Record<string, number>;
  // Beside the blocks, how three lists stood before they changed, and the daily counts.
  expect(operations['kv.get']).toBeLessThanOrEqual(blocks + 4);
  // The day and the content of each list.
  expect(operations['r2.put']).toBeLessThanOrEqual(10);
});
