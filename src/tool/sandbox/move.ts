import { asc } from 'drizzle-orm';
import { webhooks } from '../../../drizzle/schema.ts';
import { openDatabase } from '../../base/database/open.ts';
import type { Env } from '../../base/env.ts';
import { currentTime } from '../../base/time/clock.ts';
import { dayOf } from '../../base/time/day.ts';
import { listNames } from '../../list/lists.ts';
import { publishAndPurge } from '../../list/publish/publish.ts';
import { expireCopies } from '../../list/read/memory.ts';
import { sendDeliveries, senderOf } from '../../party/webhook/deliver.ts';
import { hasOpen } from '../../party/webhook/outbox.ts';
import { runCron } from '../../worker/cron.ts';
import { setClock } from './clock.ts';

/** The crons of wrangler.toml. */
export const dailyCron = '1 0 * * *';
export const hourlyCron = '31 * * * *';

/** Locally, no cache is in front of the Worker. */
export const noCache = {};

const minuteMilliseconds = 60_000;

/**
 * Moves the clock ahead, stopping at each run of the cron and at each attempt to deliver that is due, and publishes the
 * lists. A run that fails is logged and recorded, and the next one follows, as in a deployment.
 */
export async function moveClock(env: Env, to: Date): Promise<void> {
  // The queue keeps the real time, so nothing is given to it.
  const { WEBHOOKS: _, ...withoutQueue } = env;
  for (const { cron, at } of dueRuns(currentTime(), to)) {
    await deliverUntil(env, at);
    await setClock(env.DB, at);
    await runCron(cron, withoutQueue, noCache).catch(() => {});
  }
  await deliverUntil(env, to);
  await setClock(env.DB, to);
  await publishAndPurge(env, noCache, listNames);
  // The operator's tool may have published what this isolate remembers from before.
  expireCopies(env.LISTS, listNames);
}

/** Moves the clock from one attempt to deliver to the next, until no delivery is due by then. */
async function deliverUntil(env: Env, then: Date): Promise<void> {
  const db = openDatabase(env.DB);
  for (;;) {
    // A webhook that never failed is due now, and null comes first.
    const [next] = await db
      .select()
      .from(webhooks)
      .where(hasOpen)
      .orderBy(asc(webhooks.resumesAt))
      .limit(1);
    const dueAt = next && new Date(next.resumesAt ?? 0);
    if (!dueAt || dueAt > then) return;
    if (dueAt > currentTime()) await setClock(env.DB, dueAt);
    await sendDeliveries(db, next.registrarId, senderOf(env));
  }
}

/**
 * The runs after `from` until `to`: every daily one, and the hourly ones of the last day. The hourly ones of other days
 * would find nothing to do, since they do what the daily one has done.
 */
export function dueRuns(from: Date, to: Date) {
  const runs: { cron: string; at: Date }[] = [];
  for (let hour = Date.parse(dayOf(from)); hour <= to.getTime(); hour += 60 * minuteMilliseconds) {
    const at = (minute: number) => new Date(hour + minute * minuteMilliseconds);
    if (at(0).getUTCHours() === 0) runs.push({ cron: dailyCron, at: at(1) });
    if (dayOf(at(0)) === dayOf(to)) runs.push({ cron: hourlyCron, at: at(31) });
  }
  return runs.filter(({ at }) => at > from && at <= to);
}
