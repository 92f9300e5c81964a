import { beforeEach, expect, test } from 'vitest';
import { dailyCounts } from '../../drizzle/schema.ts';
import { openDatabase } from '../../src/base/database/open.ts';
import type { Env } from '../../src/base/env.ts';
import { daysBefore } from '../../src/base/time/day.ts';
import { readDailyCounts, recordDailyCounts } from '../../src/list/daily-counts.ts';
import { listNames, singleLists } from '../../src/list/lists.ts';
import { publish } from '../../src/list/publish/publish.ts';
import { Faults, overload } from '../attack/faults.ts';
import { counted } from '../support/counted.ts';
import { countsRows } from '../support/counted-rows.ts';
import { addAuction, addDispute, addRetainedDomain, emptyLists } from '../support/fixtures.ts';
import { shareEmptyWorker } from '../support/worker.ts';
import { newReader } from './reader.ts';

const worker = shareEmptyWorker();
const key = 'daily-counts';
const at = (day: string, time = '00:01') => new Date(`${day}T${time}:00Z`);

beforeEach(async () => {
  await emptyLists(worker.env);
  await worker.db.delete(dailyCounts);
});

const publishOn = (day: string, lists = listNames) =>
  publish({ db: worker.db, kv: worker.env.LISTS, clock: () => at(day) }, lists);

/** Does the cron's work. */
const record = (day: string, env: Env = worker.env, time?: string) =>
  recordDailyCounts(openDatabase(env.DB), env.LISTS, at(day, time));

const readOn = (day: string, env: Env = worker.env) =>
  readDailyCounts(newReader(env, () => at(day)).reader);

const counts = { auctions: 0, reserved: 0, blocked: 0, disputed: 0 };

/** A row for every list on each of the days until one, as the cron leaves them. */
async function addDays(lastDay: string, days: number) {
  const json = JSON.stringify(Array.from({ length: days }, (_, ago) => daysBefore(lastDay, ago)));
  await worker.env.DB.prepare(
    `insert into daily_counts select days.value, lists.value, 5
     from json_each(?) days, json_each(?) lists`,
  )
    .bind(json, JSON.stringify(singleLists))
    .run();
}

test('records how many names each list has, once a day', async () => {
  const { env } = worker;
  await addAuction(env);
  await addRetainedDomain(env, { name: 'both.ee', status: 'reserved' });
  await addRetainedDomain(env, { name: 'both.ee', status: 'blocked' });
  await addDispute(env, { name: 'both.ee' });
  await publishOn('2026-05-05');
  await record('2026-05-05');
  await addAuction(env);
  await publishOn('2026-05-05');
  await record('2026-05-05', env, '00:31');
  await record('2026-05-06');
  expect(await readOn('2026-05-06')).toEqual([
    { day: '2026-05-05', counts: { auctions: 1, reserved: 1, blocked: 1, disputed: 1 } },
    { day: '2026-05-06', counts: { auctions: 2, reserved: 1, blocked: 1, disputed: 1 } },
  ]);
});

test('adds a list to a day on which it was not published at first', async () => {
  await publishOn('2026-05-05', ['reserved', 'blocked', 'disputed']);
  await record('2026-05-05');
  await addAuction(worker.env);
  await publishOn('2026-05-05');
  await record('2026-05-05', worker.env, '00:31');
  expect(await readOn('2026-05-05')).toEqual([
    { day: '2026-05-05', counts: { ...counts, auctions: 1 } },
  ]);
});

test('shows the last 366 days, and keeps the others', async () => {
  await publishOn('2026-05-05');
  await addDays('2026-05-04', 400);
  await record('2026-05-05');
  const days = await readOn('2026-05-05');
  expect(days).toHaveLength(366);
  expect(days[0]).toEqual({
    day: '2025-05-05',
    counts: { auctions: 5, reserved: 5, blocked: 5, disputed: 5 },
  });
  expect(days.at(-1)).toEqual({ day: '2026-05-05', counts });
  expect(await worker.db.$count(dailyCounts)).toBe(401 * singleLists.length);
});

test('puts the counts into KV when they change, and again where KV has lost them', async () => {
  await publishOn('2026-05-05');
  const { env, counts } = counted(worker.env);
  const writesOf = async (day: string, time?: string) => {
    const before = counts.kvWrites;
    await record(day, env, time);
    return counts.kvWrites - before;
  };
  expect(await writesOf('2026-05-05')).toBe(1);
  expect(await writesOf('2026-05-05', '00:31')).toBe(0);
  expect(await writesOf('2026-05-06')).toBe(1);
  await worker.env.LISTS.delete(key);
  expect(await writesOf('2026-05-06', '00:31')).toBe(1);
  expect(await readOn('2026-05-06')).toHaveLength(2);
});

test('leaves nothing half done, whichever call fails', async () => {
  await publishOn('2026-05-05');
  const all = new Faults();
  await record('2026-05-01', all.wrap(worker.env));
  expect(all.calls).toEqual(['d1', 'kv', 'kv']);
  for (const [place, binding] of all.calls.entries()) {
    const day = `2026-05-0${2 + place}`;
    const before = await worker.env.LISTS.get(key);
    // KV's put is tried three times.
    const message = binding === 'd1' ? overload : 'KV failed: 503';
    const faults = new Faults({ message, isDone: false }, (call) => call >= place);
    await expect(record(day, faults.wrap(worker.env))).rejects.toThrow();
    expect(await worker.env.LISTS.get(key)).toBe(before);
    await record(day, worker.env, '00:31');
    expect((await readOn(day)).at(-1)).toEqual({ day, counts });
  }
});

test('costs the same however many days and names there are', async () => {
  await addRetainedDomain(worker.env);
  await publishOn('2026-05-05');
  await addDays('2026-05-04', 1_500);
  const { env, counts } = counted(worker.env);
  await record('2026-05-05', env);
  expect(counts).toEqual({
    d1RoundTrips: 1,
    // 366 days of four lists, each row by the primary key's index, and the publications.
    rowsRead: countsRows ? 2_936 : 0,
    rowsWritten: countsRows ? 8 : 0,
    kvReads: 1,
    kvWrites: 1,
    kvLists: 0,
    r2Reads: 0,
    r2Lists: 0,
  });
});

test('is read from KV once a minute, and never from the database', async () => {
  await publishOn('2026-05-05');
  await record('2026-05-05');
  const { env, counts } = counted(worker.env);
  let now = at('2026-05-05');
  const { reader } = newReader(env, () => now);
  const days = await readDailyCounts(reader);
  expect(days).toHaveLength(1);
  now = new Date(now.getTime() + 59_000);
  expect(await readDailyCounts(reader)).toBe(days);
  expect([counts.kvReads, reader.meter.kvReads]).toEqual([1, 1]);
  now = new Date(now.getTime() + 2_000);
  await readDailyCounts(reader);
  expect([counts.kvReads, reader.meter.kvReads]).toEqual([2, 2]);
  // The clock was set back.
  now = at('2026-05-05');
  await readDailyCounts(reader);
  expect([counts.kvReads, reader.meter.kvReads]).toEqual([3, 3]);
  expect(counts.d1RoundTrips).toBe(0);
});

test('is what was last seen where KV fails, and empty where nothing was', async () => {
  await publishOn('2026-05-05');
  await record('2026-05-05');
  let isDown = false;
  const faults = new Faults({ message: 'KV failed: 503', isDone: false }, () => isDown);
  const env = faults.wrap(worker.env);
  let now = at('2026-05-05');
  const { reader } = newReader(env, () => now);
  const days = await readDailyCounts(reader);
  isDown = true;
  now = at('2026-05-05', '01:00');
  expect(await readDailyCounts(reader)).toBe(days);
  expect(await readOn('2026-05-05', env)).toEqual([]);
});

test('gives 0 for a list that was not counted then', async () => {
  const old = { day: '2026-05-05', counts: { auctions: 3 } };
  await worker.env.LISTS.put(key, JSON.stringify([old]));
  expect(await readOn('2026-05-05')).toEqual([
    { day: '2026-05-05', counts: { auctions: 3, reserved: 0, blocked: 0, disputed: 0 } },
  ]);
});

test('is recorded by the cron, after it has published', async () => {
  await addAuction(worker.env);
  await worker.scheduled('1 0 * * *');
  const today = new Date().toISOString().slice(0, 10);
  expect(await readOn(today)).toEqual([{ day: today, counts: { ...counts, auctions: 1 } }]);
});
