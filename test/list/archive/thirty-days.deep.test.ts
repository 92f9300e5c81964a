import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { setClockAhead } from '../../../src/base/time/clock.ts';
import { dayOf, daysBefore } from '../../../src/base/time/day.ts';
import { listNames, publicLists } from '../../../src/list/lists.ts';
import { publish } from '../../../src/list/publish/publish.ts';
import { runCron } from '../../../src/worker/cron.ts';
import { addAuction, addDispute, addRetainedDomain, emptyLists } from '../../support/fixtures.ts';
import { startWorker } from '../../support/worker.ts';
import { backUpDatabase } from '../backup.ts';
import { readWhole } from '../reader.ts';
import { killedBeforeHead } from './killed-before-head.ts';

const worker = startWorker();

beforeAll(() => {
  vi.spyOn(console, 'info').mockImplementation(() => {});
});
afterAll(() => {
  setClockAhead(0);
  vi.restoreAllMocks();
});

const firstDay = '2026-05-01';
const days = 30;
const cronTime = '00:01:00';
const dayAt = (index: number) => daysBefore(firstDay, -index);

/** Sets the clock of the cron and of the publishers. */
function setClock(day: string, time: string): Date {
  const now = new Date(`${day}T${time}Z`);
  setClockAhead(now.getTime() - Date.now());
  return now;
}

const fetchAll = async (now: Date) =>
  Object.fromEntries(
    await Promise.all(
      listNames.map(async (list) => [list, await readWhole(worker.env, list, now)]),
    ),
  );

/** A number that only the day and the purpose decide. */
const chance = (index: number, purpose: number) =>
  ((index * 7 + purpose * 11) * 2_654_435_761) % 97;

/** Some changes on a day, by a number of their own; nothing in one case of four. */
async function change(day: string, number: number): Promise<void> {
  const { DB } = worker.env;
  const name = `n${number}.ee`;
  const of = { name, punycode: name };
  if (chance(number, 1) < 40) await addRetainedDomain(worker.env, of);
  if (chance(number, 2) < 25) await addAuction(worker.env, of);
  if (chance(number, 3) < 25) {
    // From tomorrow: the calendar alone changes the list, at midnight.
    await addDispute(worker.env, {
      ...of,
      firstDay: daysBefore(day, -1),
      lastDay: daysBefore(day, -3),
    });
  }
  if (chance(number, 4) < 30) {
    await DB.prepare('delete from retained_domains where name < ?')
      .bind(`n${number - 3}`)
      .run();
  }
}

const importedNames = 4_000;

/** Imports thousands of names, or takes them away again. */
async function importNames(): Promise<void> {
  const { DB } = worker.env;
  const { meta } = await DB.prepare("delete from retained_domains where name like 'import%'").run();
  if (meta.changes > 0) return;
  await DB.prepare(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
     insert into retained_domains (name, punycode, status, created_at)
     select 'import' || i || '.ee', 'import' || i || '.ee', iif(i % 2, 'blocked', 'reserved'), '' from n`,
  )
    .bind(importedNames)
    .run();
}

const times = ['00:00:30', cronTime, '09:30:00', '21:45:00', '23:59:59.900'];

test('each of thirty days is byte for byte what clients fetched on it', {
  timeout: 600_000,
}, async () => {
  const { env, db } = worker;
  await emptyLists(env);
  const seen = new Map<string, Awaited<ReturnType<typeof fetchAll>>>();
  let restore: (() => Promise<void>) | undefined;
  let [missed, killed, restores] = [0, 0, 0];
  for (let index = 0; index < days; index++) {
    const day = dayAt(index);
    const isMissed = index > 1 && chance(index, 5) < 30;
    if (isMissed) missed += 1;
    for (const [number, time] of times.entries()) {
      const now = setClock(day, time);
      if (time === cronTime) {
        if (!isMissed) await runCron('1 0 * * *', env, {});
        continue;
      }
      // Some days begin with a publication before the cron, and some end with one in their last moment.
      if (index % 3 === 0 && time < cronTime) continue;
      if (index % 4 !== 1 && time > '23:') continue;
      await change(day, index + 31 * number);
      if (index % 7 === 4 && time < cronTime) await importNames();
      if (index % 10 === 4) restore = await backUpDatabase(env);
      if (index % 10 === 7 && restore) {
        await restore();
        restore = undefined;
        restores += 1;
      }
      if (index % 5 === 2 && time > '21:') {
        await publish({ db, kv: killedBeforeHead(env), clock: () => now }, listNames).catch(() => {
          killed += 1;
        });
        continue;
      }
      await publish({ db, kv: env.LISTS, clock: () => now }, listNames);
      if (index % 2 === 0 && time === '09:30:00') {
        await change(day, index + 31 * times.length);
        // By another publisher, whose clock is behind.
        const behind = new Date(now.getTime() - 7_000);
        await publish({ db, kv: env.LISTS, clock: () => behind }, listNames);
      }
    }
    seen.set(day, await fetchAll(setClock(day, '23:59:59.950')));
  }
  setClock(dayAt(days), cronTime);
  await runCron('1 0 * * *', env, {});
  expect({ missed: missed > 5, killed: killed > 2, restores }).toEqual({
    missed: true,
    killed: true,
    restores: 3,
  });
  expect(new Set([...seen.values()].map(({ all }) => all?.etag)).size).toBeGreaterThan(10);

  setClockAhead(0);
  expect(dayOf(new Date()) > dayAt(days)).toBe(true);
  for (const [day, lists] of seen) {
    for (const list of listNames) {
      const { path, type } = publicLists[list];
      const answer = await worker.fetch(`${path}?as_of=${day}${type ? `&type=${type}` : ''}`);
      const archived = {
        status: answer.status,
        etag: answer.headers.get('ETag'),
        body: await answer.text(),
      };
      expect({ day, list, ...archived }).toEqual({ day, list, ...lists[list] });
    }
  }
});
