import type { WebhookMessage } from '../../../src/base/env.ts';

interface Waiting {
  body: WebhookMessage;
  dueAt: number;
}

/** `max_batch_size` in wrangler.toml. */
const maximumBatchSize = 5;

/** The limit of `delaySeconds`: developers.cloudflare.com/queues/configuration/batching-retries. */
const maximumDelaySeconds = 43_200;

type Consume = (batch: MessageBatch<WebhookMessage>) => Promise<void>;

/**
 * Cloudflare Queues on a clock of the test's own: a message comes at its time, and again after the delay that the
 * consumer asks for.
 */
export class SteppedQueue {
  now: Date;
  /** Every message that was ever sent. */
  readonly sent: WebhookMessage[] = [];
  #waiting: Waiting[] = [];

  constructor(now: Date) {
    this.now = now;
  }

  async send(body: WebhookMessage, { delaySeconds = 0 } = {}) {
    if (delaySeconds > maximumDelaySeconds) throw new Error(`cannot wait ${delaySeconds} seconds`);
    this.sent.push(body);
    this.#waiting.push({ body, dueAt: this.now.getTime() + delaySeconds * 1000 });
    return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } };
  }

  async sendBatch(messages: Iterable<MessageSendRequest<WebhookMessage>>) {
    for (const { body } of messages) await this.send(body);
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
    const messages = due.map(({ body }) => ({
      body,
      ack() {},
      retry: ({ delaySeconds = 0 } = {}) => {
        this.#waiting.push({ body, dueAt: this.now.getTime() + delaySeconds * 1000 });
      },
    }));
    await consume({ messages } as unknown as MessageBatch<WebhookMessage>);
  }
}
