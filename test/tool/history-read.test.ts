import { expect, test } from 'vitest';
import { openDatabase } from '../../src/base/database/open.ts';
import { followHistory, readHistory } from '../../src/tool/nouns/history/index.ts';
import { counted } from '../support/counted.ts';
import { countsRows } from '../support/counted-rows.ts';
import { shareEmptyWorker } from '../support/worker.ts';

const worker = shareEmptyWorker();

/** So many entries, one an hour from the beginning of 2020. */
const insertEntries = `
  with recursive n (n) as (select 1 union all select n + 1 from n where n < ?)
  insert into history (occurred_at, subject, subject_key, action, actor_type, actor, changes)
  select strftime('%Y-%m-%dT%H:%M:%fZ', '2020-01-01', n || ' hours'), 'contact', 'ALPHA:' || n, 'create', 'operator', 'Operator ats', '{}'
  from n`;

test('history --follow reads only what is newer than the newest entry, even if none matches', async () => {
  await worker.env.DB.prepare(insertEntries).bind(1_000).run();
  const { env, counts } = counted(worker.env);
  const rowsRead: number[] = [];
  let ticks = 0;
  const pause = async () => {
    rowsRead.push(counts.rowsRead);
    counts.rowsRead = 0;
    ticks += 1;
    if (ticks === 3) await worker.env.DB.prepare(insertEntries).bind(10).run();
    if (ticks === 5) throw new Error('enough');
  };
  const following = followHistory(openDatabase(env.DB), { by: 'nobody' }, pause);
  await expect(following.next()).rejects.toThrow('enough');
  // The newest entry and, where nothing has come since, the look at where there is nothing.
  expect(rowsRead).toEqual(countsRows ? [1_001, 2, 2, 11, 2] : Array(5).fill(0));
});

test('history --since reads no entries from more than a week before', async () => {
  const { env, counts } = counted(worker.env);
  const since = new Date('2020-02-10T00:00:00Z');
  const entries = await Array.fromAsync(readHistory(openDatabase(env.DB), { since }));
  expect(entries).toHaveLength(41);
  const search = 2 * Math.ceil(Math.log2(1_010));
  expect(counts.rowsRead).toBeLessThan(41 + 7 * 24 + 10 + search);
});
