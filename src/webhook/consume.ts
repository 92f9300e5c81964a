import { webhookDeliveries } from '../../drizzle/schema.ts';
import { isIn } from '../database/json-rows.ts';
import type { Database } from '../database/open.ts';
import type { WebhookMessage } from '../env.ts';
import { logUnexpected } from '../log.ts';
import { deliver, type WebhookSender } from './deliver.ts';
import { giveUp } from './outbox.ts';

const minute = 60;
const hour = 60 * minute;

/** Seconds from each attempt that failed to the next: two and a half days in all. wrangler.toml has their number. */
export const retryDelays = [
  ...[5, minute, 5 * minute, 30 * minute, hour, 2 * hour],
  ...new Array<number>(15).fill(4 * hour),
];

/** The end of the names of dead-letter queues. */
export const deadSuffix = '-dead';

/**
 * Sends the deliveries of a batch from the queue, side by side, and asks for another attempt of those that fail. What comes
 * from the dead-letter queue is given up.
 */
export async function consumeDeliveries(
  batch: MessageBatch<WebhookMessage>,
  db: Database,
  sender: WebhookSender,
): Promise<void> {
  if (batch.queue.endsWith(deadSuffix)) {
    const ids = JSON.stringify(batch.messages.map(({ body }) => body.delivery));
    return giveUp(db, isIn(webhookDeliveries.id, ids), sender.now());
  }
  await Promise.all(batch.messages.map((message) => consume(message, db, sender)));
}

async function consume(message: Message<WebhookMessage>, db: Database, sender: WebhookSender) {
  try {
    if (await deliver(db, message.body.delivery, sender)) return message.ack();
  } catch (error) {
    logUnexpected(error, undefined);
  }
  message.retry({ delaySeconds: retryDelays[message.attempts - 1] ?? retryDelays.at(-1)! });
}
