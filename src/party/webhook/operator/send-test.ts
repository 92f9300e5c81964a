import { and, eq, gt } from 'drizzle-orm';
import { webhookDeliveries, webhooks } from '../../../../drizzle/schema.ts';
import type { Database } from '../../../base/database/open.ts';
import { newDeliveryId } from '../../registrar/notification.ts';
import { getWebhook } from '../../registrar/operator/webhook.ts';
import { type Delivery, post, recordAttempt, type WebhookSender } from '../deliver.ts';
import { restEnded } from './resend.ts';

/**
 * Sends a test once, records the result and returns it. If the test arrives, a webhook that rests after a failure is
 * tried again at once. Throws `not_found` if the registrar has no webhook.
 */
export async function testWebhook(
  db: Database,
  code: string,
  sender: WebhookSender,
): Promise<Pick<Delivery, 'id' | 'outcome' | 'deliveredAt'>> {
  const webhook = await getWebhook(db, code);
  const { registrarId } = webhook;
  const at = sender.now().toISOString();
  // The test is stored as given up, so that nothing else sends it if this call ends midway.
  const id = newDeliveryId();
  const test = { id, createdAt: at, waitsSince: at, failedAt: at, outcome: 'not finished' };
  await db.insert(webhookDeliveries).values({ ...test, registrarId });
  const body = JSON.stringify({ type: 'webhook.test', timestamp: at, data: {} });
  const result = await post(webhook, id, body, sender);
  await recordAttempt(db, { ...test, attempts: 0 }, { ...result, at: sender.now() });
  if (result.isDelivered) {
    const state = { ...restEnded(sender.now()), failures: 0, failingSince: null };
    const isFailing = and(eq(webhooks.registrarId, registrarId), gt(webhooks.failures, 0));
    await db.update(webhooks).set(state).where(isFailing);
  }
  return { id, outcome: result.outcome, deliveredAt: result.isDelivered ? at : null };
}
