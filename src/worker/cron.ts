import { sql } from 'drizzle-orm';
import { cronRuns, deskLooks } from '../../drizzle/schema.ts';
import { type Database, openDatabase } from '../base/database/open.ts';
import { deleteOlder } from '../base/database/sweep.ts';
import type { Env } from '../base/env.ts';
import { logUnexpected, writeLog } from '../base/log.ts';
import { statePoint, writePoint } from '../base/metrics.ts';
import { currentTime } from '../base/time/clock.ts';
import { monthsBefore } from '../base/time/day.ts';
import { deleteOldOutcomes } from '../change/outcome.ts';
import { deleteOrphans } from '../contact/delete.ts';
import { removeOldValues } from '../contact/recorded-values.ts';
import { archiveLists } from '../list/archive/archive.ts';
import { recordDailyCounts } from '../list/daily-counts.ts';
import { listNames } from '../list/lists.ts';
import { type PurgeContext, publishAndPurge } from '../list/publish/publish.ts';
import { deleteReplacedKeys } from '../list/publish/sweep.ts';
import { forgetRegistrations } from '../name/registration/take-back.ts';
import { endReservations } from '../name/retained/save.ts';
import { deleteEndedSecrets } from '../party/credential/holder.ts';
import { deleteOldNotifications } from '../party/registrar/notification.ts';
import {
  endOldDeliveries,
  queueDeliveries,
  queueLostTests,
  selectWaiting,
} from '../party/webhook/outbox.ts';
import { settings } from './settings.ts';

type Work = (db: Database, at: Date, env: Env, context: PurgeContext) => Promise<unknown>;

/**
 * The phases run in order: the first changes the lists, and the last needs them published and archived, and the registrars notified. A failure
 * is recorded under the name of its work.
 */
export const phases: readonly Readonly<Record<string, Work>>[] = [
  {
    end_reservations: (db, at) => endReservations(db, { at, requestId: crypto.randomUUID() }),
  },
  {
    archive_lists: async (_, at, { LISTS, ARCHIVE: bucket }) =>
      bucket && archiveLists(LISTS, bucket, listNames, at),
    publish_lists: (_, __, env, context) => publishAndPurge(env, context, listNames),
    sweep_lists: (db, at, { LISTS }) => deleteReplacedKeys(db, LISTS, at),
    delete_idempotency_keys: deleteOldOutcomes,
    delete_notifications: deleteOldNotifications,
    delete_desk_looks: (db, at, env) =>
      deleteOlder(db, [deskLooks.lookedAt], settings(env).DESK_LOOKS_DAYS, at),
    delete_orphan_contacts: endOrphanContacts,
    remove_history_values: endHistoryValues,
    forget_registrations: forgetRegistrations,
    forget_ended_secrets: deleteEndedSecrets,
    end_webhook_deliveries: endOldDeliveries,
  },
  {
    record_daily_counts: (db, at, { LISTS }) => recordDailyCounts(db, LISTS, at),
    queue_webhook_deliveries: async (db, at, { WEBHOOKS: queue }) =>
      queue && Promise.all([queueDeliveries(db, queue, at), queueLostTests(db, queue, at)]),
  },
];

/**
 * Logs failed work, and continues with the rest. Throws at the end, so that the platform counts the run as failed too.
 */
export async function runCron(cron: string, env: Env, context: PurgeContext): Promise<void> {
  const startedAt = currentTime();
  const startedAtMilliseconds = Date.now();
  const errors: unknown[] = [];
  const failed: string[] = [];
  for (const phase of phases) {
    const doing = Object.entries(phase).map(async ([name, work]) => {
      try {
        await work(openDatabase(env.DB), startedAt, env, context);
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

async function endOrphanContacts(db: Database, at: Date, env: Env): Promise<void> {
  const { ORPHAN_CONTACT_MONTHS: months } = settings(env);
  if (months === undefined) return;
  const request = { at, requestId: crypto.randomUUID() };
  const before = monthsBefore(at, months).toISOString();
  const contacts = await deleteOrphans(db, before, request);
  if (contacts > 0) writeLog('info', { event: 'orphan_contacts_deleted', contacts });
}

async function endHistoryValues(db: Database, at: Date, env: Env): Promise<void> {
  const { HISTORY_VALUES_MONTHS: months } = settings(env);
  if (months === undefined) return;
  const before = monthsBefore(at, months).toISOString();
  const entries = await removeOldValues(db, before);
  if (entries > 0) writeLog('info', { event: 'history_values_removed', entries });
}
