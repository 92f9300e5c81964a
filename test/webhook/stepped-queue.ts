import type { WebhookMessage } from '../../src/env.ts';
import { retryDelays } from '../../src/webhook/consume.ts';

interface Waiting {
  body: WebhookMessage;
  attempts: number;
  dueAt: number;
}

/** `max_batch_size` in wrangler.toml. */
const maximumBatchSize = 5;

type Consume = (batch: MessageBatch<WebhookMessage>) => Promise<void>;

/**
 * Cloudflare Queues on a clock of the test's own: a message comes at its time, and again after the delay that the
 * consumer asks for; after the last retry it goes to the dead-letter queue.
 */
export class SteppedQueue {
  now: Date;
  #waiting: Waiting[] = [];
  readonly #name: string;

  constructor(now: Date, name = 'webhooks') {
    this.now = now;
    this.#name = name;
  }

  async sendBatch(messages: Iterable<MessageSendRequest<WebhookMessage>>) {
    for (const { body } of messages) {
      this.#waiting.push({ body, attempts: 0, dueAt: this.now.getTime() });
    }
    return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } };
  }

  get size(): number {
    return this.#waiting.length;
  }

  /** Lets this many hours pass. */
  async pass(hours: number, consume: Consume): Promise<void> {
    const end = this.now.getTime() + hours * 3_600_000;
    for (;;) {
      const next = Math.min(...this.#waiting.map(({ dueAt }) => dueAt));
      if (next > end) break;
      this.now = new Date(Math.max(next, this.now.getTime()));
      await this.#step(consume);
    }
    this.now = new Date(end);
  }

  async #step(consume: Consume): Promise<void> {
    const due = this.#waiting
      .filter(({ dueAt }) => dueAt <= this.now.getTime())
      .slice(0, maximumBatchSize);
    this.#waiting = this.#waiting.filter((message) => !due.includes(message));
    const dead: Waiting[] = [];
    const messages = due.map((waiting) => {
      waiting.attempts += 1;
      return {
        id: '',
        timestamp: this.now,
        body: waiting.body,
        attempts: waiting.attempts,
        ack() {},
        retry: ({ delaySeconds = 0 } = {}) => {
          waiting.dueAt = this.now.getTime() + delaySeconds * 1000;
          (waiting.attempts > retryDelays.length ? dead : this.#waiting).push(waiting);
        },
      };
    });
    const batch = (queue: string, of: typeof messages) =>
      ({ queue, messages: of }) as unknown as MessageBatch<WebhookMessage>;
    await consume(batch(this.#name, messages));
    if (dead.length > 0) {
      await consume(
        batch(
          `${this.#name}-dead`,
          messages.filter(({ body }) => dead.some((one) => one.body === body)),
        ),
      );
    }
  }
}
