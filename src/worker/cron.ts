import { desc, sql } from 'drizzle-orm';
import { cronRuns } from '../drizzle/schema.ts';
import { archiveLists } from './archive/archive.ts';
import { deleteOrphans } from './contact/orphans.ts';
import { removeOldValues } from './contact/recorded-values.ts';
import { forgetReplaced } from './credential/holder.ts';
import { type Database, openDatabase } from './database/open.ts';
import type { Env } from './env.ts';
import { logUnexpected, writeLog } from './log.ts';
import { statePoint, writePoint } from './metrics.ts';
import { deleteOldOutcomes } from './outcome.ts';
import { recordDailyCounts } from './public-list/daily-counts.ts';
import { listNames } from './public-list/lists.ts';
import { type PurgeContext, publishAndPurge } from './public-list/publish/publish.ts';
import { sweepLists } from './public-list/publish/sweep.ts';
import { deleteOldNotifications } from './registrar/notification.ts';
import { forgetRegistrations } from './registration/take-back.ts';
import { endReservations } from './retained-domain/end.ts';
import { settings } from './settings.ts';
import { currentTime } from './time/clock.ts';
import { monthsBefore } from './time/day.ts';
import { appendToLog } from './transparency/signed-log.ts';
import { endOldDeliveries, queueDeliveries, selectWaiting } from './webhook/outbox.ts';

type Work = (env: Env, context: PurgeContext, at: Date) => Promise<unknown>;

/**
 * One phase follows the other. The first changes the lists; the last needs them published and archived, and the
 * registrars notified. A failure is recorded under the name of its work.
 */
const phases: readonly Readonly<Record<string, Work>>[] = [
  {
    end_reservations: ({ DB }, _, at) =>
      endReservations(openDatabase(DB), { at, requestId: crypto.randomUUID() }),
  },
  {
    archive_lists: async ({ DB, LISTS, ARCHIVE: bucket }, _, at) =>
      bucket && archiveLists(openDatabase(DB), LISTS, bucket, listNames, at),
    publish_lists: (env, context) => publishAndPurge(env, context, listNames),
    sweep_lists: ({ DB, LISTS }, _, at) => sweepLists(openDatabase(DB), LISTS, at),
    delete_idempotency_keys: ({ DB }, _, at) => deleteOldOutcomes(openDatabase(DB), at),
    delete_notifications: ({ DB }, _, at) => deleteOldNotifications(openDatabase(DB), at),
    delete_orphan_contacts: (env, _, at) => endOrphanContacts(env, at),
    remove_history_values: (env, _, at) => endHistoryValues(env, at),
    forget_registrations: ({ DB }, _, at) => forgetRegistrations(openDatabase(DB), at),
    forget_ended_secrets: ({ DB }, _, at) => forgetReplaced(openDatabase(DB), at),
    end_webhook_deliveries: ({ DB }, _, at) => endOldDeliveries(openDatabase(DB), at),
  },
  {
    record_daily_counts: ({ DB, LISTS }, _, at) => recordDailyCounts(openDatabase(DB), LISTS, at),
    queue_webhook_deliveries: async ({ DB, WEBHOOKS: queue }, _, at) =>
      queue && queueDeliveries(openDatabase(DB), queue, at),
    append_to_log: (env) => appendToLog(env),
  },
];

export const workNames = phases.flatMap((phase) => Object.keys(phase));

/**
 * A work that fails is logged and does not hold up the others; in the end the run throws, so that the platform counts
 * it as failed too.
 */
export async function runCron(cron: string, env: Env, context: PurgeContext): Promise<void> {
  const startedAt = currentTime();
  const startedAtMilliseconds = Date.now();
  const errors: unknown[] = [];
  const failed: string[] = [];
  for (const phase of phases) {
    const doing = Object.entries(phase).map(async ([name, work]) => {
      try {
        await work(env, context, startedAt);
      } catch (error) {
        errors.push(error);
        failed.push(name);
      }
    });
    await Promise.all(doing);
  }
  try {
    const tookMilliseconds = Date.now() - startedAtMilliseconds;
    const run = { cron, startedAt: startedAt.toISOString(), tookMilliseconds, failed };
    const now = currentTime();
    const db = openDatabase(env.DB);
    const [{ meta }, , [waiting]] = await db.batch([
      db.insert(cronRuns).values(run),
      db.delete(cronRuns).where(sql`id <= (select max(id) from ${cronRuns}) - ${maximumRuns}`),
      selectWaiting(db, now),
    ]);
    const { count, since } = waiting!;
    const longestWait = since ? now.getTime() - Date.parse(since) : 0;
    const state = statePoint(meta.size_after, count, longestWait, failed.length, tookMilliseconds);
    writePoint(env, state);
  } catch (error) {
    errors.push(error);
  }
  for (const error of errors) logUnexpected(error, undefined);
  if (errors.length > 0) throw new AggregateError(errors, 'scheduled work failed');
}

/** Two weeks of hourly and daily runs. */
const maximumRuns = 350;

export type CronRun = typeof cronRuns.$inferSelect;

export function listCronRuns(db: Database, count: number): Promise<CronRun[]> {
  return db.select().from(cronRuns).orderBy(desc(cronRuns.id)).limit(count);
}

async function endOrphanContacts(env: Env, at: Date): Promise<void> {
  const { ORPHAN_CONTACT_MONTHS: months } = settings(env);
  if (months === undefined) return;
  const request = { at, requestId: crypto.randomUUID() };
  const before = monthsBefore(at, months).toISOString();
  const contacts = await deleteOrphans(openDatabase(env.DB), before, request);
  if (contacts > 0) writeLog('info', { event: 'orphan_contacts_deleted', contacts });
}

async function endHistoryValues(env: Env, at: Date): Promise<void> {
  const { HISTORY_VALUES_MONTHS: months } = settings(env);
  if (months === undefined) return;
  const before = monthsBefore(at, months).toISOString();
  const entries = await removeOldValues(openDatabase(env.DB), before);
  if (entries > 0) writeLog('info', { event: 'history_values_removed', entries });
}
