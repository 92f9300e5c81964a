import { and, desc, eq, isNull, not, sql } from 'drizzle-orm';
import { webhookDeliveries, webhooks } from '../../../drizzle/schema.ts';
import { insertRows } from '../../base/database/insert-rows.ts';
import type { Database } from '../../base/database/open.ts';
import { retry } from '../../base/database/retry.ts';
import { newDeliveryId } from '../registrar/notification.ts';
import { noWebhook } from '../registrar/own-webhook.ts';
import { checkNotGone, isOpen, type Webhook } from '../registrar/webhook.ts';
import { endPause } from './hold.ts';

/** Of a registrar's finished tests. */
const keptTests = 10;
/** More than were ever kept; SQLite knows no offset without a limit. */
const all = 1_000_000;

/**
 * Makes a test the next delivery of the webhook, and returns its id. If one waits already, it is that one. Ends the
 * webhook's pause after a failure. One round trip. Throws `update_prohibited` if the receiver is gone, and `not_found`
 * if the webhook has ended meanwhile.
 */
export async function addTest(db: Database, webhook: Webhook, now: Date): Promise<string> {
  checkNotGone(webhook);
  const { registrarId } = webhook;
  const { id, createdAt, notificationId } = webhookDeliveries;
  const at = now.toISOString();
  const isTest = and(eq(webhookDeliveries.registrarId, registrarId), isNull(notificationId));
  const waiting = db.select({ id }).from(webhookDeliveries).where(and(isTest, isOpen));
  const isFinished = and(isTest, not(isOpen));
  const finished = db.select({ id }).from(webhookDeliveries).where(isFinished);
  const older = finished.orderBy(desc(createdAt)).limit(all).offset(keptTests);
  const ofRegistrar = eq(webhooks.registrarId, registrarId);
  const test = {
    ...{ id: newDeliveryId(), registrarId, createdAt: at, waitsSince: at, notificationId: null },
    ...{ attemptedAt: null, outcome: null, status: null, deliveredAt: null, failedAt: null },
  };
  const ifNoneWaits = sql`from ${webhooks} where ${ofRegistrar} and not exists ${waiting}`;
  const [, , , [added]] = await retry(() =>
    db.batch([
      db.delete(webhookDeliveries).where(sql`${id} in ${older}`),
      insertRows(db, webhookDeliveries, test, ifNoneWaits),
      db.update(webhooks).set(endPause(now)).where(ofRegistrar),
      waiting,
    ]),
  );
  if (!added) throw noWebhook();
  return added.id;
}
