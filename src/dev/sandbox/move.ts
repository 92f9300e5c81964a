import { asc } from 'drizzle-orm';
import { webhooks } from '../../../drizzle/schema.ts';
import { openDatabase } from '../../base/database/open.ts';
import type { Env } from '../../base/env.ts';
import { currentTime } from '../../base/time/clock.ts';
import { dayOf } from '../../base/time/day.ts';
import { recordDailyCounts } from '../../list/daily-counts.ts';
import { listKeys } from '../../list/kv.ts';
import { listNames } from '../../list/lists.ts';
import { publishAndPurge } from '../../list/publish/publish.ts';
import { expireCopies } from '../../list/read/memory.ts';
import { sendDeliveries, senderOf } from '../../party/webhook/deliver.ts';
import { hasDue } from '../../party/webhook/outbox.ts';
import { runCron } from '../../worker/cron.ts';
import { forgetStarted } from '../../worker/http/request/recent.ts';
import { listParts, setClock } from './clock.ts';

export const dailyCron = '1 0 * * *';
export const hourlyCron = '31 * * * *';

/** The local Worker has no cache in front. */
const noCache = {};

/**
 * Stops at each daily run of the cron and each due delivery, and runs the hourly cron at the end,
 * which publishes the lists. A failed run is logged, and the next one follows, as in a deployment.
 */
export async function moveClock(env: Env, to: Date): Promise<void> {
  // The queue uses the real time, so it gets no messages.
  const { WEBHOOKS: _, ...withoutQueue } = env;
  for (const at of dailyRuns(currentTime(), to)) {
    await deliverUntil(env, at);
    await setClock(env.DB, at);
    await runCron(dailyCron, withoutQueue, noCache).catch(() => {});
  }
  await deliverUntil(env, to);
  await setClock(env.DB, to);
  await runCron(hourlyCron, withoutQueue, noCache).catch(() => {});
  // The operator's tool may have published newer lists than this isolate remembers.
  expireCopies(env.LISTS, listNames);
}

async function deliverUntil(env: Env, end: Date): Promise<void> {
  const db = openDatabase(env.DB);
  for (;;) {
    // Null comes first: a webhook without failures is due now.
    const [next] = await db
      .select()
      .from(webhooks)
      .where(hasDue)
      .orderBy(asc(webhooks.resumesAt))
      .limit(1);
    const dueAt = next && new Date(next.resumesAt ?? 0);
    if (!dueAt || dueAt > end) return;
    if (dueAt > currentTime()) await setClock(env.DB, dueAt);
    await sendDeliveries(db, next.registrarId, senderOf(env));
  }
}

/** After `from`, until `to`. */
export function dailyRuns(from: Date, to: Date): Date[] {
  const runs: Date[] = [];
  const first = Date.parse(`${dayOf(from)}T00:01:00.000Z`);
  for (let at = first; at <= to.getTime(); at += 24 * 60 * 60 * 1000) {
    if (at > from.getTime()) runs.push(new Date(at));
  }
  return runs;
}

export async function resetSandbox(env: Env): Promise<void> {
  await setClock(env.DB, new Date());
  await restoreRows(env.DB);
  forgetStarted(env.DB);
  for (const { name } of await listKeys(env.LISTS, '')) await env.LISTS.delete(name);
  for (let count = 1; env.ARCHIVE && count > 0; ) {
    const { objects } = await env.ARCHIVE.list();
    count = objects.length;
    await env.ARCHIVE.delete(objects.map(({ key }) => key));
  }
  await publishAndPurge(env, noCache, listNames);
  await recordDailyCounts(openDatabase(env.DB), env.LISTS, currentTime());
}

/** Replaces all rows by their `sandbox_` copies in one batch, without triggers, since some refuse deletions. */
async function restoreRows(db: D1Database): Promise<void> {
  const tables = await listParts(db, 'table');
  const triggers = await listParts(db, 'trigger');
  await db.batch([
    db.prepare('pragma defer_foreign_keys = on'),
    ...triggers.map(({ name }) => db.prepare(`drop trigger ${name}`)),
    ...tables.map(({ name }) => db.prepare(`delete from ${name}`)),
    // Ids continue from the highest copied one.
    db.prepare("delete from sqlite_sequence where name <> 'd1_migrations'"),
    ...tables.map(({ name }) => db.prepare(`insert into ${name} select * from sandbox_${name}`)),
    ...triggers.map(({ sql }) => db.prepare(sql)),
  ]);
}
