import { eq } from 'drizzle-orm';
import { webhookDeliveries, webhooks } from '../../../../drizzle/schema.ts';
import type { Database } from '../../../base/database/open.ts';
import { retry } from '../../../base/database/retry.ts';
import type { Webhook } from '../../registrar/webhook.ts';
import { sendDeliveries, type WebhookSender } from '../deliver.ts';
import { addTest } from '../test-delivery.ts';

/**
 * Adds a test and sends it from here, or leaves it to the consumer that holds the webhook. Returns the delivery. Other
 * deliveries wait for the queue. Throws what `addTest` throws.
 */
export async function sendTest(db: Database, webhook: Webhook, sender: WebhookSender) {
  const { registrarId } = webhook;
  const id = await addTest(db, webhook, sender.now());
  await sendDeliveries(db, registrarId, sender, 1);
  const [, [test]] = await retry(() =>
    db.batch([
      // No message follows, so the cron's next run queues what waits.
      db.update(webhooks).set({ queuedUntil: null }).where(eq(webhooks.registrarId, registrarId)),
      db.select().from(webhookDeliveries).where(eq(webhookDeliveries.id, id)),
    ]),
  );
  return test!;
}
