import { and, eq, sql } from 'drizzle-orm';
import { webhookDeliveries, webhooks } from '../../../../drizzle/schema.ts';
import type { Database } from '../../../base/database/open.ts';
import { retry } from '../../../base/database/retry.ts';
import type { Webhook } from '../../registrar/webhook.ts';
import { sendWaitingTest, type WebhookSender } from '../deliver.ts';
import { addTest } from '../test-delivery.ts';

/**
 * Adds a test and sends it from here, unless it is not due or another process sends. Returns the delivery. Other
 * deliveries wait for the queue. Throws what `addTest` throws.
 */
export async function sendTest(db: Database, webhook: Webhook, sender: WebhookSender) {
  const { registrarId } = webhook;
  const { id } = await addTest(db, webhook, sender.now());
  const next = await sendWaitingTest(db, registrarId, sender, id);
  // No message follows, so the cron's next run queues what waits.
  const ofTurn = next?.turn === undefined ? sql`false` : eq(webhooks.queuedUntil, next.turn);
  const [, [test]] = await retry(() =>
    db.batch([
      db
        .update(webhooks)
        .set({ queuedUntil: null })
        .where(and(eq(webhooks.registrarId, registrarId), ofTurn)),
      db.select().from(webhookDeliveries).where(eq(webhookDeliveries.id, id)),
    ]),
  );
  return test!;
}
