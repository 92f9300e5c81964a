import type { Database } from '../../base/database/open.ts';
import type { WebhookMessage } from '../../base/env.ts';
import { logUnexpected } from '../../base/log.ts';
import { sendDeliveries, type WebhookSender } from './deliver.ts';

/** Longer than an interrupted consumer holds a webhook. */
const pauseSeconds = 90;

/** The queue's limit. After a longer pause, the cron queues the registrar. */
const maximumDelaySeconds = 12 * 60 * 60;

/** Serves registrars in parallel. A registrar's next attempt is another message. */
export async function consumeDeliveries(
  batch: MessageBatch<WebhookMessage>,
  db: Database,
  queue: Pick<Queue<WebhookMessage>, 'send'>,
  sender: WebhookSender,
): Promise<void> {
  const consume = async (message: Message<WebhookMessage>) => {
    try {
      const { registrar } = message.body;
      const next = await sendDeliveries(db, registrar, sender);
      if (next) {
        const pause = Math.ceil((next.getTime() - sender.now().getTime()) / 1000);
        const delaySeconds = Math.max(0, pause);
        if (delaySeconds <= maximumDelaySeconds) await queue.send({ registrar }, { delaySeconds });
      }
      message.ack();
    } catch (error) {
      logUnexpected(error, undefined);
      message.retry({ delaySeconds: pauseSeconds });
    }
  };
  await Promise.all(batch.messages.map(consume));
}
