import { eq } from 'drizzle-orm';
import { webhooks } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { retried } from '../../base/database/retry.ts';
import type { WebhookMessage } from '../../base/env.ts';
import { logUnexpected } from '../../base/log.ts';
import { sendDeliveries, type WebhookSender } from './deliver.ts';
import { queueDeliveries } from './outbox.ts';
import { sendTest } from './test-delivery.ts';

/** Longer than an interrupted consumer holds a webhook. */
const pauseSeconds = 90;

/** Serves registrars in parallel. A registrar's next attempt is another message. */
export async function consumeDeliveries(
  batch: MessageBatch<WebhookMessage>,
  db: Database,
  queue: Pick<Queue<WebhookMessage>, 'send' | 'sendBatch'>,
  sender: WebhookSender,
): Promise<void> {
  const consume = async (message: Message<WebhookMessage>) => {
    try {
      const { registrar, test } = message.body;
      if (test !== undefined) {
        const ofRegistrar = eq(webhooks.registrarId, registrar);
        const [webhook] = await retried(() => db.select().from(webhooks).where(ofRegistrar));
        if (webhook) await sendTest(db, webhook, test, sender);
        // A successful test ends the webhook's pause, so waiting deliveries follow at once.
        await queueDeliveries(db, queue, sender.now(), registrar);
        return message.ack();
      }
      const next = await sendDeliveries(db, registrar, sender);
      if (next) {
        const delaySeconds = Math.ceil((next.getTime() - sender.now().getTime()) / 1000);
        await queue.send(message.body, { delaySeconds: Math.max(0, delaySeconds) });
      }
      message.ack();
    } catch (error) {
      logUnexpected(error, undefined);
      message.retry({ delaySeconds: pauseSeconds });
    }
  };
  await Promise.all(batch.messages.map(consume));
}
