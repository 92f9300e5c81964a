import { and, desc, eq, isNull, not, sql } from 'drizzle-orm';
import { webhookDeliveries, webhooks } from '../../../drizzle/schema.ts';
import { insertRows } from '../../base/database/insert-rows.ts';
import type { Database } from '../../base/database/open.ts';
import { retry } from '../../base/database/retry.ts';
import type { WebhookMessage } from '../../base/env.ts';
import { newDeliveryId, notAttempted } from '../registrar/notification.ts';
import { noWebhook } from '../registrar/own-webhook.ts';
import { checkNotGone, isOpen, type Webhook } from '../registrar/webhook.ts';
import { delayUntil, maximumDelaySeconds } from './outbox.ts';

/** Of a registrar's finished tests. */
const keptTests = 10;
/** More than were ever kept; SQLite knows no offset without a limit. */
const all = 1_000_000;

/** Between two tests of a registrar. */
const secondsBetween = 10;

/**
 * Makes a test the next delivery of the webhook. If one waits already, it is that one. It is due at once, but ten seconds
 * after the registrar's last test, and not before the receiver wants it. One round trip. Throws `update_prohibited` if
 * the receiver is gone, and `not_found` if the webhook has ended meanwhile.
 */
export async function addTest(
  db: Database,
  webhook: Webhook,
  now: Date,
): Promise<{ id: string; dueAt: Date; isNew: boolean }> {
  checkNotGone(webhook);
  const { registrarId } = webhook;
  const { id, createdAt, notificationId, attemptedAt, waitsSince } = webhookDeliveries;
  const at = now.toISOString();
  const isTest = and(eq(webhookDeliveries.registrarId, registrarId), isNull(notificationId));
  const waiting = db.select({ id, waitsSince }).from(webhookDeliveries).where(and(isTest, isOpen));
  const isFinished = and(isTest, not(isOpen));
  const finished = db.select({ id }).from(webhookDeliveries).where(isFinished);
  const older = finished.orderBy(desc(createdAt)).limit(all).offset(keptTests);
  const ofRegistrar = eq(webhooks.registrarId, registrarId);
  const lastTest = sql`(select max(${attemptedAt}) from ${webhookDeliveries} where ${isTest})`;
  const afterLast = sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${lastTest}, ${`+${secondsBetween} seconds`})`;
  const dueAt = sql`max(${at}, ifnull(${webhooks.retryAfter}, ''), ifnull(${afterLast}, ''))`;
  const test = {
    ...{ id: newDeliveryId(), registrarId, createdAt: at, waitsSince: dueAt, notificationId: null },
    ...notAttempted,
  };
  const ifNoneWaits = sql`from ${webhooks} where ${ofRegistrar} and not exists ${waiting}`;
  const [, , [added]] = await retry(() =>
    db.batch([
      db.delete(webhookDeliveries).where(sql`${id} in ${older}`),
      insertRows(db, webhookDeliveries, test, ifNoneWaits),
      waiting,
    ]),
  );
  if (!added) throw noWebhook();
  return { id: added.id, dueAt: new Date(added.waitsSince), isNew: added.id === test.id };
}

/** Queues a test that `addTest` has made. */
export async function queueTest(
  queue: Pick<Queue<WebhookMessage>, 'send'>,
  registrar: number,
  { id: test, dueAt }: { id: string; dueAt: Date },
  now: Date,
): Promise<void> {
  const delaySeconds = Math.min(delayUntil(dueAt, now), maximumDelaySeconds);
  await queue.send({ registrar, test }, { delaySeconds });
}
