import { beforeEach, expect, test } from 'vitest';
import type { Env } from '../../src/base/env.ts';
import { blockKey, headKey } from '../../src/list/kv.ts';
import { listNames } from '../../src/list/lists.ts';
import { listStatus } from '../../src/list/publish/operator/status.ts';
import { publish } from '../../src/list/publish/publish.ts';
import { deleteReplacedKeys } from '../../src/list/publish/sweep.ts';
import { readChanges } from '../../src/list/read/changes.ts';
import { addAuction, addRetainedDomain, emptyLists } from '../support/fixtures.ts';
import { afterRows, aroundBatches } from '../support/meanwhile.ts';
import { shareEmptyWorker } from '../support/worker.ts';
import { killedBeforeHead } from './archive/killed-before-head.ts';
import { backUpDatabase } from './backup.ts';
import { published, withMethods } from './published.ts';
import { newReader } from './reader.ts';

const worker = shareEmptyWorker();
const noon = new Date('2026-05-05T12:00:00Z');
beforeEach(() => emptyLists(worker.env));

const publishAll = (env: Env = worker.env, at = noon) =>
  publish({ db: worker.db, kv: env.LISTS, clock: () => at }, listNames);

const namesIn = async (list: 'all' | 'auctions' = 'all') => {
  const { body } = await published(worker.env, list);
  return (body.domains ?? body.auctions).map(
    (entry: { name?: string; domain_name?: string }) => entry.name ?? entry.domain_name,
  );
};

const addNames = async (...names: string[]) => {
  for (const name of names) await addRetainedDomain(worker.env, { name, punycode: name });
};

test('publishes what is imported after a restore as often as before it', async () => {
  await publishAll();
  const restore = await backUpDatabase(worker.env);
  await addNames('wrong1.ee', 'wrong2.ee', 'wrong3.ee');
  await publishAll();
  await restore();
  await addNames('right1.ee', 'right2.ee', 'right3.ee');

  await publishAll();

  expect(await namesIn()).toEqual(['right1.ee', 'right2.ee', 'right3.ee']);
  expect(
    (await listStatus(worker.db, worker.env.LISTS, noon)).filter(({ isBehind }) => isBehind),
  ).toEqual([]);
});

test('publishes a restored database though what its record names was swept since', async () => {
  await addNames('kept.ee');
  await publishAll();
  const restore = await backUpDatabase(worker.env);
  await addNames('wrong.ee');
  await publishAll();
  await deleteReplacedKeys(worker.db, worker.env.LISTS, new Date('2026-05-14T12:00:00Z'));
  await restore();

  await publishAll();

  expect(await namesIn()).toEqual(['kept.ee']);
});

test('leads a client that holds a list from before a restore to the list after it', async () => {
  await addNames('kept.ee');
  await publishAll();
  const restore = await backUpDatabase(worker.env);
  await addNames('wrong.ee');
  await publishAll();
  const { head: wrong } = await published(worker.env, 'all');
  await restore();
  await addNames('right.ee');

  await publishAll();

  const { reader } = newReader(worker.env, () => noon);
  const changes = await readChanges('all', wrong!.etag, reader);
  const names = (entries: string[]) => entries.map((json) => JSON.parse(json).name);
  expect(names(changes!.difference.removed)).toEqual(['wrong.ee']);
  expect(names(changes!.difference.added)).toEqual(['right.ee']);
  expect(changes!.current).toBe((await published(worker.env, 'all')).head!.etag);
});

test('publishes a removal though the listing of KV still shows what was before the addition', async () => {
  await publishAll();
  const lagging = await worker.env.LISTS.list({ prefix: 'list/' });
  await addNames('short.ee');
  await publishAll();
  await worker.env.DB.prepare('delete from retained_domains').run();

  const kv = withMethods(worker.env.LISTS, { list: async () => lagging });
  await publish({ db: worker.db, kv, clock: () => noon }, listNames);

  expect(await namesIn()).toEqual([]);
});

test('repairs what a publisher that was overtaken put back', async () => {
  await publishAll();
  const old = await worker.env.LISTS.getWithMetadata(headKey('auctions'), 'arrayBuffer');
  await addAuction(worker.env, { name: 'new.ee' });
  await publishAll();
  await worker.env.LISTS.put(headKey('auctions'), old.value!, { metadata: old.metadata });

  expect(await publishAll()).toEqual(['auctions']);

  expect(await namesIn('auctions')).toEqual(['new.ee']);
});

test('keeps replaced blocks for eight days and no longer, and those in use for ever', async () => {
  await addNames('a.ee');
  await publishAll();
  const { head: old } = await published(worker.env, 'all');
  await addNames('b.ee');
  await publishAll();
  const oldKey = blockKey('all', old!.blocks[0]!);
  const isThere = async () => (await worker.env.LISTS.get(oldKey, 'arrayBuffer')) !== null;

  await deleteReplacedKeys(worker.db, worker.env.LISTS, new Date('2026-05-13T11:59:59Z'));
  expect(await isThere()).toBe(true);
  await deleteReplacedKeys(worker.db, worker.env.LISTS, new Date('2026-05-13T12:00:01Z'));
  expect(await isThere()).toBe(false);
  await deleteReplacedKeys(worker.db, worker.env.LISTS, new Date('2027-05-06T12:00:00Z'));
  expect(await namesIn()).toEqual(['a.ee', 'b.ee']);
});

test('sweeps what a killed publisher has left behind', async () => {
  await publishAll();
  await addNames('a.ee');
  const kv = withMethods(worker.env.LISTS, {
    async put(key: string, value: ArrayBuffer) {
      if (!key.startsWith('block/')) throw new Error('killed');
      await worker.env.LISTS.put(key, value);
    },
  });
  await expect(publish({ db: worker.db, kv, clock: () => noon }, ['all'])).rejects.toThrow();
  const blocks = async () => (await worker.env.LISTS.list({ prefix: 'block/' })).keys.length;
  expect(await blocks()).toBe(1);

  await deleteReplacedKeys(worker.db, worker.env.LISTS, new Date('2026-05-13T12:00:01Z'));

  expect(await blocks()).toBe(0);
});

test('deletes of the journal what every list follows, and goes on counting from there', async () => {
  const rows = async () =>
    (await worker.env.DB.prepare('select id from retained_changes').all<{ id: number }>()).results;
  await addNames('a.ee', 'b.ee', 'c.ee');
  await publishAll();
  const last = Math.max(...(await rows()).map(({ id }) => id));

  await deleteReplacedKeys(worker.db, worker.env.LISTS, noon);

  expect(await rows()).toEqual([{ id: last }]);
  await addNames('d.ee');
  await publishAll();
  expect(await namesIn()).toEqual(['a.ee', 'b.ee', 'c.ee', 'd.ee']);
});

const nineDaysLater = new Date('2026-05-14T12:00:00Z');

test('publishes no block that was swept while the publisher slept', async () => {
  await publishAll();
  await addNames('a.ee');
  let at = noon;
  const kv = withMethods(worker.env.LISTS, {
    async put(key: string, value: ArrayBuffer, options: KVNamespacePutOptions) {
      await worker.env.LISTS.put(key, value, options);
      if (at === nineDaysLater || !key.startsWith('changes/')) return;
      at = nineDaysLater;
      await deleteReplacedKeys(worker.db, worker.env.LISTS, at);
    },
  });

  await publish({ db: worker.db, kv, clock: () => at }, ['all']);

  expect(await namesIn()).toEqual(['a.ee']);
});

test('puts no head that others have replaced while the publisher slept', async () => {
  await publishAll();
  await addNames('removed.ee');
  let at = noon;
  let isRecording = false;
  const { DB, LISTS } = worker.env;
  const db = aroundBatches(worker.env, async (send) => {
    const results = await send();
    if (isRecording && at === noon) {
      at = nineDaysLater;
      await DB.prepare('delete from retained_domains').run();
      await publishAll(worker.env, at);
    }
    return results;
  });
  const heads: string[] = [];
  const kv = withMethods(LISTS, {
    async put(key: string, value: ArrayBuffer, options: KVNamespacePutOptions) {
      isRecording ||= key.startsWith('changes/');
      if (key.startsWith('list/')) heads.push(key);
      await LISTS.put(key, value, options);
    },
  });

  await publish({ db, kv, clock: () => at }, ['all']);

  expect(heads).toEqual([]);
  expect(await namesIn()).toEqual([]);
});

test('leaves out of a build what was removed while the journal was pruned', async () => {
  await addNames('stays.ee');
  await publishAll();
  await addNames('removed.ee');
  const remove = (name: string) =>
    worker.env.DB.prepare('delete from retained_domains where name = ?').bind(name).run();
  let isPruned = false;
  const db = afterRows(worker.env, 'name >= ?', async () => {
    if (isPruned) return;
    isPruned = true;
    await remove('removed.ee');
    await addNames('visits.ee');
    await remove('visits.ee');
    await publishAll();
    await deleteReplacedKeys(worker.db, worker.env.LISTS, noon);
  });

  await publish({ db, kv: worker.env.LISTS, clock: () => noon }, ['all'], { isForced: true });

  expect(await namesIn()).toEqual(['stays.ee']);
});

test('keeps the blocks of the head in KV though a later publication is recorded', async () => {
  await addNames('a.ee');
  await publishAll();
  await addNames('b.ee');
  const kv = killedBeforeHead(worker.env);
  await expect(publish({ db: worker.db, kv, clock: () => noon }, ['all'])).rejects.toThrow();

  await deleteReplacedKeys(worker.db, worker.env.LISTS, nineDaysLater);

  expect(await namesIn()).toEqual(['a.ee']);
});

test('sweeps a list that changes so often that KV always shows the publication before the last', async () => {
  await addNames('a.ee');
  await publishAll();
  const { head: old } = await published(worker.env, 'all');
  await addNames('b.ee');
  await publishAll(worker.env, new Date('2026-05-05T12:01:00Z'));
  await addNames('c.ee');
  await publishAll(worker.env, new Date('2026-05-13T12:02:00Z'));
  const lagging = await worker.env.LISTS.list({ prefix: 'list/' });
  await addNames('d.ee');
  await publishAll(worker.env, new Date('2026-05-13T12:03:00Z'));

  const kv = withMethods(worker.env.LISTS, { list: async () => lagging });
  await deleteReplacedKeys(worker.db, kv, new Date('2026-05-13T12:03:30Z'));

  const value = await worker.env.LISTS.get(blockKey('all', old!.blocks[0]!), 'arrayBuffer');
  expect(value === null).toBe(true);
  expect(await namesIn()).toEqual(['a.ee', 'b.ee', 'c.ee', 'd.ee']);
});
