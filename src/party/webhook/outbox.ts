import { and, count, eq, inArray, isNull, lt, lte, min, or, sql } from 'drizzle-orm';
import { registrars, webhookDeliveries, webhooks } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { deleteOlder } from '../../base/database/sweep.ts';
import type { WebhookMessage } from '../../base/env.ts';
import { writeLog } from '../../base/log.ts';
import { timeAfter } from '../../base/time/clock.ts';
import { isOpen } from '../registrar/webhook.ts';
import { queuePatience } from './hold.ts';

export const hasOpen = sql`exists (
  select 1 from ${webhookDeliveries}
  where ${webhookDeliveries.registrarId} = ${webhooks.registrarId} and ${isOpen}
)`;

/** Deliveries wait, and may be sent. */
export const hasDue = sql`(${webhooks.goneAt} is null and ${hasOpen})`;

const minute = 60 * 1000;
const day = 24 * 60 * minute;

/** A queue's limit. */
const messagesPerBatch = 100;

/**
 * Queues one message for each registrar with waiting deliveries, or for this one, unless it has one already.
 * Reserves registrars first, so that only one of several callers sends. A failed message's reservation ends before the
 * next run of the cron.
 */
export async function queueDeliveries(
  db: Database,
  queue: Pick<Queue<WebhookMessage>, 'sendBatch'>,
  now: Date,
  registrarId?: number,
): Promise<void> {
  const reserved = await db
    .update(webhooks)
    .set({ queuedUntil: timeAfter(now, queuePatience) })
    .where(
      and(
        registrarId === undefined ? undefined : eq(webhooks.registrarId, registrarId),
        or(isNull(webhooks.queuedUntil), lte(webhooks.queuedUntil, now.toISOString())),
        hasDue,
      ),
    )
    .returning({ registrar: webhooks.registrarId });
  for (let first = 0; first < reserved.length; first += messagesPerBatch) {
    const messages = reserved.slice(first, first + messagesPerBatch);
    await queue.sendBatch(messages.map((body) => ({ body })));
  }
}

const givenUpAfter = 7 * day;
const keptForDays = 30;
/** The limit of a run; the next one continues. */
const maximumGivenUp = 10_000;

/**
 * Gives up deliveries that have waited for a week, and deletes those created and last resent 30 days ago. For alarms,
 * logs the numbers of deliveries given up and of failing webhooks.
 */
export async function endOldDeliveries(db: Database, now: Date): Promise<void> {
  const { id, waitsSince, createdAt, outcome } = webhookDeliveries;
  const isOld = and(isOpen, lt(waitsSince, timeAfter(now, -givenUpAfter)));
  const old = db.select({ id }).from(webhookDeliveries).where(isOld).limit(maximumGivenUp);
  const { meta } = await db
    .update(webhookDeliveries)
    .set({
      failedAt: now.toISOString(),
      outcome: sql`'given up after a week' || ifnull(' (' || ${outcome} || ')', '')`,
    })
    .where(and(inArray(id, old), isOpen));
  const deliveries = meta.changes;
  if (deliveries > 0) writeLog('warn', { event: 'deliveries_given_up', deliveries });
  await deleteOlder(db, [createdAt, waitsSince], keptForDays, now);
  const { length: failing } = await listFailingWebhooks(db, now);
  if (failing > 0) writeLog('warn', { event: 'webhook_failing', webhooks: failing });
}

/** The time that an endpoint may fail before an alarm. */
const patience = 60 * minute;

/** Lists registrars whose webhooks have failed for an hour while deliveries wait, and since when. */
export function listFailingWebhooks(db: Database, now: Date) {
  return db
    .select({ registrar: registrars.code, since: sql<string>`${webhooks.failingSince}` })
    .from(webhooks)
    .innerJoin(registrars, eq(registrars.id, webhooks.registrarId))
    .where(and(lte(webhooks.failingSince, timeAfter(now, -patience)), hasOpen))
    .orderBy(registrars.code);
}

export function selectWaiting(db: Database, now: Date) {
  const { waitsSince } = webhookDeliveries;
  return db
    .select({ count: count(), since: min(waitsSince) })
    .from(webhookDeliveries)
    .where(and(isOpen, lte(waitsSince, now.toISOString())));
}
