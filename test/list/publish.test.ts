import { beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../src/base/database/open.ts';
import { listNames } from '../../src/list/lists.ts';
import { listStatus } from '../../src/list/publish/operator/status.ts';
import { publish } from '../../src/list/publish/publish.ts';
import { counted } from '../support/counted.ts';
import { addAuction, addDispute, addRetainedDomain, emptyLists } from '../support/fixtures.ts';
import { afterRows } from '../support/meanwhile.ts';
import { shareEmptyWorker } from '../support/worker.ts';
import { published, withMethods } from './published.ts';

const worker = shareEmptyWorker();
const clock = () => new Date('2026-05-05T12:00:00Z');
beforeEach(() => emptyLists(worker.env));

const publishAll = (kv = worker.env.LISTS) => publish({ db: worker.db, kv, clock }, listNames);

/** KV whose puts are counted, and go through `put` where there is one. */
function watchedKv(put?: (write: () => Promise<void>, key: string) => Promise<void>) {
  const puts: string[] = [];
  const { LISTS } = worker.env;
  const kv = withMethods(LISTS, {
    put(key: string, value: ArrayBuffer, options: KVNamespacePutOptions) {
      puts.push(key);
      const write = () => LISTS.put(key, value, options);
      return put ? put(write, key) : write();
    },
  });
  return { kv, puts };
}

const headsIn = (puts: string[]) => puts.filter((key) => key.startsWith('list/'));

test('lists a name with two disputes in force once', async () => {
  await addDispute(worker.env, { name: 'twice.ee' });
  await addDispute(worker.env, { name: 'twice.ee' });
  await publishAll();
  const { body } = await published(worker.env, 'disputed');
  expect(body.count).toBe(1);
  expect(body.domains).toHaveLength(1);
});

test('keeps beside the head what the operator asks for', async () => {
  await addAuction(worker.env);
  await publishAll();
  const { metadata } = await published(worker.env, 'auctions');
  expect(metadata).toEqual({
    publication: expect.stringMatching(/^[0-9a-f]{16}$/),
    etag: expect.stringMatching(/^W\/"[0-9a-f]{32}"$/),
    count: 1,
    publishedAt: '2026-05-05T12:00:00.000Z',
    tookMilliseconds: 0,
    bytes: expect.any(Number),
    blocks: 1,
    added: null,
    removed: null,
  });
});

test('writes nothing and reads at most ten rows in one round trip where nothing changed', async () => {
  await addRetainedDomain(worker.env);
  await addDispute(worker.env);
  await publishAll();
  const { env, counts } = counted(worker.env);
  await publish({ db: openDatabase(env.DB), kv: env.LISTS, clock }, listNames);
  expect(counts).toMatchObject({ kvWrites: 0, d1RoundTrips: 1, rowsWritten: 0 });
  expect(counts.rowsRead).toBeLessThanOrEqual(10);
});

test('writes only the lists that a change reached', async () => {
  await publishAll();
  await addRetainedDomain(worker.env, { status: 'blocked' });
  const { kv, puts } = watchedKv();
  expect(await publishAll(kv)).toEqual(['all', 'blocked']);
  expect(headsIn(puts)).toEqual(['list/all', 'list/blocked']);
});

test('writes nothing for a change that leaves the content as it was, and looks no further at it', async () => {
  const { DB } = worker.env;
  await publishAll();
  await addAuction(worker.env, { name: 'gone.ee' });
  await DB.prepare('delete from auctions').run();
  const { kv, puts } = watchedKv();
  await publishAll(kv);
  expect(puts).toEqual([]);
  const status = await listStatus(openDatabase(DB), worker.env.LISTS, clock());
  expect(status.filter(({ isBehind }) => isBehind)).toEqual([]);
});

test('tells which lists are behind their source', async () => {
  await publishAll();
  await addAuction(worker.env);
  const status = await listStatus(worker.db, worker.env.LISTS, clock());
  expect(status.map(({ list, isBehind }) => [list, isBehind])).toEqual([
    ['auctions', true],
    ['all', false],
    ['reserved', false],
    ['blocked', false],
    ['disputed', false],
  ]);
});

test('converges on the newest content though the older of two publishers writes last', async () => {
  await addAuction(worker.env, { name: 'old.ee', punycode: 'old.ee' });
  let release = () => {};
  let arrive = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  let isFirst = true;
  const { kv, puts } = watchedKv(async (write, key) => {
    if (key === 'list/auctions' && isFirst) {
      isFirst = false;
      arrive();
      await released;
    }
    await write();
  });
  const older = publish({ db: worker.db, kv, clock }, ['auctions']);
  await arrived;
  await addAuction(worker.env, { name: 'new.ee', punycode: 'new.ee' });
  await publish({ db: worker.db, kv: worker.env.LISTS, clock }, ['auctions']);
  release();
  await older;
  expect(headsIn(puts)).toEqual(['list/auctions', 'list/auctions']);
  expect((await published(worker.env, 'auctions')).body.count).toBe(2);
});

test('adds to a build what changed while it was under way', async () => {
  await addAuction(worker.env, { name: 'early.ee' });
  let isChanged = false;
  const db = afterRows(worker.env, 'name >= ?', async () => {
    if (!isChanged) await addAuction(worker.env, { name: 'late.ee' });
    isChanged = true;
  });
  const { kv, puts } = watchedKv();
  await publish({ db, kv, clock }, ['auctions']);
  expect(headsIn(puts)).toEqual(['list/auctions']);
  expect((await published(worker.env, 'auctions')).body.count).toBe(2);
});

test('fails loudly where KV refuses to write, leaves what was published, and repairs it next time', async () => {
  await publishAll();
  await addAuction(worker.env);
  const { kv } = watchedKv(() => Promise.reject(new Error('KV PUT failed: 500')));
  await expect(publishAll(kv)).rejects.toThrow('list auctions was not published');
  expect((await published(worker.env, 'auctions')).body.count).toBe(0);
  await publishAll();
  expect((await published(worker.env, 'auctions')).body.count).toBe(1);
});

test('publishes the other lists of names where KV refuses the blocks of one', async () => {
  await addRetainedDomain(worker.env, { status: 'reserved' });
  const { kv } = watchedKv((write, key) =>
    key.startsWith('block/reserved/') ? Promise.reject(new Error('KV PUT failed: 500')) : write(),
  );
  await expect(publishAll(kv)).rejects.toThrow('list reserved was not published');
  expect((await published(worker.env, 'all')).body.count).toBe(1);
  expect((await published(worker.env, 'reserved')).body).toBeNull();
});

test('puts again what was reported as failed', async () => {
  await addAuction(worker.env);
  const failed = new Set<string>();
  const { kv } = watchedKv(async (write, key) => {
    await write();
    if (failed.has(key)) return;
    failed.add(key);
    throw new Error('KV PUT failed: 500');
  });
  await publish({ db: worker.db, kv, clock }, ['auctions']);
  expect(failed.size).toBe(3);
  expect((await published(worker.env, 'auctions')).body.count).toBe(1);
});
