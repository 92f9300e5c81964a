import {
  and,
  count,
  eq,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  min,
  not,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
import { registrars, webhookDeliveries, webhooks } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { deleteOlder } from '../../base/database/sweep.ts';
import type { WebhookMessage } from '../../base/env.ts';
import { writeLog } from '../../base/log.ts';
import { timeAfter } from '../../base/time/clock.ts';
import { isOpen } from '../registrar/webhook.ts';
import { turnFrom } from './hold.ts';

/** Joins the two. */
export const ofWebhook = eq(webhookDeliveries.registrarId, webhooks.registrarId);
const { notificationId, failedAt, droppedAt } = webhookDeliveries;

/** Deliveries wait. Tests have messages of their own. */
const hasOpen = sql`exists (
  select 1 from ${webhookDeliveries}
  where ${ofWebhook} and ${isOpen} and ${notificationId} is not null
)`;

/** Deliveries wait, and may be sent. */
export const hasDue = sql`(${webhooks.goneAt} is null and ${hasOpen})`;

const minute = 60 * 1000;
const day = 24 * 60 * minute;

/** A queue's limit. */
const messagesPerBatch = 100;

/** The queue's limit. */
export const maximumDelaySeconds = 12 * 60 * 60;

/** The seconds from now. */
export const delayUntil = (at: Date, now: Date) =>
  Math.max(0, Math.ceil((at.getTime() - now.getTime()) / 1000));

/** Begins a turn where deliveries wait and none has begun. */
export function reservation(db: Database, now: Date, ofRegistrar: SQL | undefined) {
  const { queuedUntil } = webhooks;
  return db
    .update(webhooks)
    .set({ queuedUntil: turnFrom(now) })
    .where(and(ofRegistrar, or(isNull(queuedUntil), lte(queuedUntil, now.toISOString())), hasDue));
}

type Sender = Pick<Queue<WebhookMessage>, 'sendBatch'>;

/**
 * Queues one message for each registrar with waiting deliveries, or for this one, unless it has one already.
 * Reserves registrars first, so that only one of several callers sends. A failed message's reservation ends before the
 * next run of the cron.
 */
export async function queueDeliveries(
  db: Database,
  queue: Sender,
  now: Date,
  registrarId?: number,
): Promise<void> {
  const ofRegistrar = registrarId === undefined ? undefined : eq(webhooks.registrarId, registrarId);
  const columns = { registrar: webhooks.registrarId, turn: webhooks.queuedUntil };
  const reserved = await reservation(db, now, ofRegistrar).returning(columns);
  await sendMessages(
    queue,
    reserved.map(({ registrar, turn }) => ({ registrar, turn: turn! })),
  );
}

/** Queues the tests whose messages were lost. */
export async function queueLostTests(db: Database, queue: Sender, now: Date): Promise<void> {
  const { id, registrarId, waitsSince } = webhookDeliveries;
  const before = timeAfter(now, -10 * minute);
  const isFree = or(isNull(webhooks.retryAfter), lte(webhooks.retryAfter, before));
  const lost = await db
    .select({ registrar: registrarId, test: id })
    .from(webhookDeliveries)
    .innerJoin(webhooks, ofWebhook)
    .where(
      and(isOpen, isNull(notificationId), lte(waitsSince, before), isFree, isNull(webhooks.goneAt)),
    );
  await sendMessages(queue, lost);
}

async function sendMessages(queue: Sender, bodies: readonly WebhookMessage[]): Promise<void> {
  for (let first = 0; first < bodies.length; first += messagesPerBatch) {
    const messages = bodies.slice(first, first + messagesPerBatch);
    await queue.sendBatch(messages.map((body) => ({ body })));
  }
}

const givenUpAfter = 7 * day;
const keptForDays = 30;
/** The limit of a run; the next one continues. */
const maximumGivenUp = 10_000;

/**
 * Gives up deliveries that have waited for a week, and deletes those created and last resent 30 days ago, but those that
 * the operator must still decide on. For alarms, logs the numbers of deliveries given up and of failing webhooks.
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
  await deleteOlder(db, [createdAt, waitsSince], keptForDays, now, not(isGivenUp));
  const { length: failing } = await listFailingWebhooks(db, now);
  if (failing > 0) writeLog('warn', { event: 'webhook_failing', webhooks: failing });
}

/** The time that an endpoint may fail before an alarm. */
const patience = 60 * minute;

/** Given up, and neither sent again nor dropped. */
export const isGivenUp = sql`(${failedAt} is not null and ${droppedAt} is null
  and ${notificationId} is not null)`;

/** The creation of the oldest delivery of the group. */
export const oldest = sql<string>`min(${webhookDeliveries.createdAt})`;

/**
 * Lists registrars whose webhooks have failed for an hour while deliveries wait, and when the oldest delivery that has
 * not arrived was created.
 */
export function listFailingWebhooks(db: Database, now: Date) {
  const hasNotArrived = and(or(isOpen, isGivenUp), isNotNull(notificationId));
  return db
    .select({ registrar: registrars.code, since: oldest })
    .from(webhooks)
    .innerJoin(registrars, eq(registrars.id, webhooks.registrarId))
    .innerJoin(webhookDeliveries, and(ofWebhook, hasNotArrived))
    .where(and(lte(webhooks.failingSince, timeAfter(now, -patience)), hasOpen))
    .groupBy(registrars.code)
    .orderBy(registrars.code);
}

export function selectWaiting(db: Database, now: Date) {
  const { waitsSince } = webhookDeliveries;
  return db
    .select({ count: count(), since: min(waitsSince) })
    .from(webhookDeliveries)
    .where(and(isOpen, lte(waitsSince, now.toISOString())));
}
