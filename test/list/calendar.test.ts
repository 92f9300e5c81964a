import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { disputes, untilClosed } from '../../drizzle/schema.ts';
import { openDatabase } from '../../src/base/database/open.ts';
import { listsShowing } from '../../src/list/lists.ts';
import { listStatus } from '../../src/list/publish/operator/status.ts';
import { publish } from '../../src/list/publish/publish.ts';
import { findBehindSince, readSource } from '../../src/list/publish/source.ts';
import { addDispute, emptyLists } from '../support/fixtures.ts';
import { shareEmptyWorker } from '../support/worker.ts';
import { published } from './published.ts';

const worker = shareEmptyWorker();
beforeEach(() => emptyLists(worker.env));

const publishAt = (time: string) =>
  publish(
    { db: worker.db, kv: worker.env.LISTS, clock: () => new Date(`${time}Z`) },
    listsShowing(['reserved', 'blocked', 'disputed']),
  );

test.each([
  ['before its first day', '2026-05-04T23:59:59.999', 0],
  ['from the first moment of its first day', '2026-05-05T00:00:00.000', 1],
  ['to the last moment of its last day', '2026-05-07T23:59:59.999', 1],
  ['after its last day', '2026-05-08T00:00:00.000', 0],
])('lists a dispute %s as it is then', async (_, time, count) => {
  await addDispute(worker.env, { firstDay: '2026-05-05', lastDay: '2026-05-07' });
  await publishAt(time);
  expect((await published(worker.env, 'disputed')).body.count).toBe(count);
  expect((await published(worker.env, 'all')).body.count).toBe(count);
});

test('publishes what the calendar alone has changed, and no other list', async () => {
  await addDispute(worker.env, { firstDay: '2026-05-05', lastDay: '2026-05-07' });
  await publishAt('2026-05-04T12:00:00');
  expect(await publishAt('2026-05-05T00:01:00')).toEqual(['all', 'disputed']);
  expect(await publishAt('2026-05-06T00:01:00')).toEqual([]);
  expect(await publishAt('2026-05-08T00:01:00')).toEqual(['all', 'disputed']);
});

test('takes a dispute off the list that was published on its last day and is again a minute after it', async () => {
  await addDispute(worker.env, { firstDay: '2026-05-05', lastDay: '2026-05-07' });
  await publishAt('2026-05-07T12:00:00');
  expect((await published(worker.env, 'disputed')).body.count).toBe(1);
  expect(await publishAt('2026-05-08T00:01:00')).toEqual(['all', 'disputed']);
  expect((await published(worker.env, 'disputed')).body.count).toBe(0);
});

test('lists no dispute from the moment at which it is closed', async () => {
  const { id } = await addDispute(worker.env, { firstDay: '2026-05-05', lastDay: untilClosed });
  await publishAt('2026-05-05T12:00:00');
  expect((await published(worker.env, 'disputed')).body.count).toBe(1);
  const closedAt = '2026-05-05T12:30:00.000Z';
  await worker.db.update(disputes).set({ closedAt }).where(eq(disputes.id, id));
  expect(await publishAt('2026-05-05T12:30:00')).toEqual(['all', 'disputed']);
  expect((await published(worker.env, 'disputed')).body.count).toBe(0);
});

test('is behind its source from the day on which a dispute begins', async () => {
  const { DB, LISTS } = worker.env;
  await addDispute(worker.env, { firstDay: '2026-05-05', lastDay: '2026-05-07' });
  await publishAt('2026-05-04T12:00:00');
  const isBehindAt = async (time: string) => {
    const status = await listStatus(openDatabase(DB), LISTS, new Date(`${time}Z`));
    return status.find(({ list }) => list === 'disputed')!.isBehind;
  };
  expect(await isBehindAt('2026-05-04T23:59:59')).toBe(false);
  expect(await isBehindAt('2026-05-05T00:00:00')).toBe(true);
});

test('is behind since the midnight at which a dispute has begun, or was over', async () => {
  const { DB } = worker.env;
  await addDispute(worker.env, { firstDay: '2026-05-05', lastDay: '2026-05-07' });
  const behindSince = async (time: string) => {
    const source = await readSource(openDatabase(DB), new Date(`${time}Z`));
    return findBehindSince(openDatabase(DB), 'disputed', source);
  };
  await publishAt('2026-05-04T12:00:00');
  expect(await behindSince('2026-05-05T00:01:00')).toBe('2026-05-05T00:00:00.000Z');
  await publishAt('2026-05-05T12:00:00');
  expect(await behindSince('2026-05-08T00:01:00')).toBe('2026-05-08T00:00:00.000Z');
});
