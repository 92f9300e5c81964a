import type { Database } from '../../base/database/open.ts';
import type { WebhookMessage } from '../../base/env.ts';
import { logUnexpected } from '../../base/log.ts';
import { sendDeliveries, type WebhookSender } from './deliver.ts';

/** Longer than a consumer that ended midway holds a webhook. */
const pauseSeconds = 90;

/** Serves the registrars that the messages name in parallel. A registrar's next attempt is another message. */
export async function consumeDeliveries(
  batch: MessageBatch<WebhookMessage>,
  db: Database,
  queue: Pick<Queue<WebhookMessage>, 'send'>,
  sender: WebhookSender,
): Promise<void> {
  const consume = async (message: Message<WebhookMessage>) => {
    try {
      const next = await sendDeliveries(db, message.body.registrar, sender);
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
