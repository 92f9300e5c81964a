import type { Database } from '../../base/database/open.ts';
import type { WebhookMessage } from '../../base/env.ts';
import { logUnexpected } from '../../base/log.ts';
import { sendDeliveries, sendWaitingTest, type WebhookSender } from './deliver.ts';
import { delayUntil, maximumDelaySeconds } from './outbox.ts';

/** Longer than an interrupted consumer holds a webhook. */
const pauseSeconds = 90;

/** Serves registrars in parallel. A registrar's next attempt is another message, of another turn. */
export async function consumeDeliveries(
  batch: MessageBatch<WebhookMessage>,
  db: Database,
  queue: Pick<Queue<WebhookMessage>, 'send'>,
  sender: WebhookSender,
): Promise<void> {
  const consume = async (message: Message<WebhookMessage>) => {
    try {
      const { registrar, turn, test } = message.body;
      const next = test
        ? await sendWaitingTest(db, registrar, sender, test)
        : await sendDeliveries(db, registrar, sender, { turn });
      const delaySeconds = next ? delayUntil(next.at, sender.now()) : 0;
      if (next && next.turn === undefined) {
        message.retry({ delaySeconds: Math.min(delaySeconds, maximumDelaySeconds) });
        return;
      }
      // After a longer pause, the cron queues the registrar.
      if (next && delaySeconds <= maximumDelaySeconds) {
        await queue.send({ registrar, turn: next.turn }, { delaySeconds });
      }
      message.ack();
    } catch (error) {
      logUnexpected(error, undefined);
      message.retry({ delaySeconds: pauseSeconds });
    }
  };
  await Promise.all(batch.messages.map(consume));
}
