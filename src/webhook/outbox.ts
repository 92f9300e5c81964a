import { and, desc, eq, inArray, isNull, lt, or, type SQL, sql } from 'drizzle-orm';
import { notifications, registrars, webhookDeliveries, webhooks } from '../../drizzle/schema.ts';
import { insertRows } from '../database/insert-rows.ts';
import { isIn } from '../database/json-rows.ts';
import type { Database } from '../database/open.ts';
import type { WebhookMessage } from '../env.ts';
import { writeLog } from '../log.ts';

/** The insert that puts the notification that a query finds into the outbox, if the condition holds and the registrar has a webhook. */
export function insertDelivery(
  db: Database,
  { registrarId, createdAt }: { registrarId: number; createdAt: string },
  notificationId: SQL,
  condition: SQL,
) {
  const delivery = {
    id: `msg_${crypto.randomUUID().replaceAll('-', '')}`,
    registrarId,
    notificationId: sql`(${notificationId})`,
    createdAt,
  };
  return insertRows(
    db,
    webhookDeliveries,
    delivery,
    sql`from ${webhooks} where ${webhooks.registrarId} = ${registrarId} and ${condition}`,
  );
}

/** Neither delivered nor given up. */
export const isOpen = and(
  isNull(webhookDeliveries.deliveredAt),
  isNull(webhookDeliveries.failedAt),
);

const hour = 60 * 60 * 1000;
const before = (now: Date, milliseconds: number) =>
  new Date(now.getTime() - milliseconds).toISOString();

/** Longer than the longest wait between two attempts: after this silence, the queue has lost the message. */
const silenceMilliseconds = 24 * hour;
/** The most messages that a queue accepts at once. */
const messagesPerBatch = 100;
const batchesPerRun = 10;

/**
 * Gives the queue what was written but not queued, and what the queue has lost. If it fails half-way, the next run queues
 * some of it again: a delivery is sent at least once.
 */
export async function queueDeliveries(
  db: Database,
  queue: Pick<Queue<WebhookMessage>, 'sendBatch'>,
  now: Date,
): Promise<void> {
  const { queuedAt, attemptedAt, id } = webhookDeliveries;
  const silentSince = before(now, silenceMilliseconds);
  const isLost = and(
    lt(queuedAt, silentSince),
    or(isNull(attemptedAt), lt(attemptedAt, silentSince)),
  );
  for (let batch = 0; batch < batchesPerRun; batch++) {
    const waiting = await db
      .select({ id })
      .from(webhookDeliveries)
      .where(and(isOpen, or(isNull(queuedAt), isLost)))
      .limit(messagesPerBatch);
    if (waiting.length === 0) return;
    await queue.sendBatch(waiting.map((row) => ({ body: { delivery: row.id } })));
    const ids = JSON.stringify(waiting.map((row) => row.id));
    await db.update(webhookDeliveries).set({ queuedAt: now.toISOString() }).where(isIn(id, ids));
  }
}

/** Gives up these deliveries, if they are open, with a line in the log that an operator may set an alarm on. */
export async function giveUp(db: Database, which: SQL, now: Date): Promise<void> {
  const { meta } = await db
    .update(webhookDeliveries)
    .set({ failedAt: now.toISOString() })
    .where(and(isOpen, which));
  const deliveries = meta.changes;
  if (deliveries > 0) writeLog('warn', { event: 'webhooks_given_up', deliveries });
}

/** No queue keeps a message for so long. */
const givenUpAfter = 7 * 24 * hour;
const keptFor = 30 * 24 * hour;
const maximumDeleted = 10_000;

/** Gives up the deliveries that are a week old, and deletes those that are 30 days old. */
export async function endOldDeliveries(db: Database, now: Date): Promise<void> {
  const { createdAt, id } = webhookDeliveries;
  await giveUp(db, lt(createdAt, before(now, givenUpAfter)), now);
  const old = db
    .select({ id })
    .from(webhookDeliveries)
    .where(lt(createdAt, before(now, keptFor)))
    .limit(maximumDeleted);
  await db.delete(webhookDeliveries).where(inArray(id, old));
}

export type ListedDelivery = Awaited<ReturnType<typeof listDeliveries>>[number];

/** The deliveries to one registrar or to all, the newest first. */
export async function listDeliveries(
  db: Database,
  { registrar, limit }: { registrar?: string | undefined; limit: number },
) {
  const rows = await db
    .select({
      delivery: webhookDeliveries,
      registrar: registrars.code,
      event: notifications.event,
      contactCode: notifications.contactCode,
    })
    .from(webhookDeliveries)
    .innerJoin(registrars, eq(registrars.id, webhookDeliveries.registrarId))
    .leftJoin(notifications, eq(notifications.id, webhookDeliveries.notificationId))
    .where(registrar === undefined ? undefined : eq(registrars.code, registrar))
    .orderBy(desc(webhookDeliveries.createdAt))
    .limit(limit);
  return rows.map(({ delivery, ...others }) => ({ ...delivery, ...others }));
}
