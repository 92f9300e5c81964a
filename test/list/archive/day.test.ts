import { beforeAll, expect, test } from 'vitest';
import { type ArchivedDay, listDays, putDay, readDay } from '../../../src/list/archive/day.ts';
import { shareEmptyWorker } from '../../support/worker.ts';
import { withMethods } from '../published.ts';
import { locked } from './bucket.ts';

const worker = shareEmptyWorker();
let bucket: R2Bucket;
beforeAll(() => {
  bucket = worker.env.ARCHIVE!;
});

const kept = (day: string, etag = 'a'): ArchivedDay => ({
  ...{ list: 'all', day, etag, count: 1, bytes: 20 },
});

test('keeps the first record of a day', async () => {
  const missing = { list: 'blocked', day: '2026-05-01', missing: true } as const;
  expect(await putDay(bucket, missing)).toEqual(missing);
  expect(await putDay(bucket, { ...kept('2026-05-01'), list: 'blocked' })).toEqual(missing);
  expect(await readDay(bucket, 'blocked', '2026-05-01')).toEqual(missing);
  expect(await readDay(bucket, 'blocked', '2026-05-02')).toBeUndefined();
});

test('finds the record that a lock rule refuses to replace', async () => {
  const first = kept('2026-05-01', 'first');
  const record = { ...first, list: 'auctions' } as const;
  await putDay(bucket, record);
  expect(await putDay(locked(bucket), { ...record, etag: 'b' })).toEqual(record);
  const failing = withMethods(bucket, { put: () => Promise.reject(new Error('R2 failed')) });
  await expect(putDay(failing, { ...record, day: '2026-05-02' })).rejects.toThrow('R2 failed');
});

test('lists the days of a list in order, across pages', async () => {
  const days = ['2026-04-30', '2026-05-01', '2026-05-02', '2026-05-03'].map((day) => kept(day));
  for (const record of days.toReversed()) await putDay(bucket, record);
  const pages: R2Bucket = {
    list: (options: R2ListOptions) => bucket.list({ ...options, limit: 2 }),
  } as never;
  expect(await Array.fromAsync(listDays(pages, 'all'))).toEqual(days);
  expect(await Array.fromAsync(listDays(pages, 'disputed'))).toEqual([]);
});
