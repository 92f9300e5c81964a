import { and, eq, gt } from 'drizzle-orm';
import { webhookDeliveries, webhooks } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { retried } from '../../base/database/retry.ts';
import { newDeliveryId } from '../registrar/notification.ts';
import type { Webhook } from '../registrar/webhook.ts';
import { type Delivery, post, recordAttempt, type WebhookSender } from './deliver.ts';
import { endPause } from './hold.ts';

/** Records a test of the webhook and returns its id. It counts as given up, so only `sendTest` sends it. */
export async function addTest(db: Database, { registrarId }: Webhook, now: Date): Promise<string> {
  const id = newDeliveryId();
  const at = now.toISOString();
  const test = { id, registrarId, createdAt: at, waitsSince: at, failedAt: at };
  await retried(() =>
    db
      .insert(webhookDeliveries)
      .values({ ...test, outcome: 'not finished' })
      .onConflictDoNothing(),
  );
  return id;
}

/** Sends a test once, and records and returns the result. Success ends the webhook's pause. */
export async function sendTest(
  db: Database,
  webhook: Webhook,
  id: string,
  sender: WebhookSender,
): Promise<Pick<Delivery, 'id' | 'outcome' | 'deliveredAt'>> {
  const [test] = await retried(() =>
    db.select().from(webhookDeliveries).where(eq(webhookDeliveries.id, id)),
  );
  const at = sender.now().toISOString();
  const body = JSON.stringify({ type: 'webhook.test', timestamp: at, data: {} });
  const result = await post(webhook, id, body, sender);
  await retried(() => recordAttempt(db, test!, { ...result, at: sender.now() }));
  if (result.isDelivered) {
    const state = { ...endPause(sender.now()), failures: 0, failingSince: null };
    const isFailing = and(eq(webhooks.registrarId, webhook.registrarId), gt(webhooks.failures, 0));
    await retried(() => db.update(webhooks).set(state).where(isFailing));
  }
  return { id, outcome: result.outcome, deliveredAt: result.isDelivered ? at : null };
}
