import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import type { Env } from '../../src/env.ts';
import { app } from '../../src/http/app.ts';
import { consumeDeliveries, retryDelays } from '../../src/webhook/consume.ts';
import { queueDeliveries } from '../../src/webhook/outbox.ts';
import { send } from '../fixtures.ts';
import { startPushing } from './pushing.ts';
import { SteppedQueue } from './stepped-queue.ts';

const { worker, endpoint, world, sender, changeEmail, cron, pass, deliveries } = startPushing();

describe('while the queue is down', () => {
  /** The person's change as a request to the application with this queue; settles with the answer. */
  async function requestWith(queue: unknown, later: Promise<unknown>[] = []) {
    const context = { waitUntil: (work: Promise<unknown>) => later.push(work) };
    const init = send('PATCH', world.person, { email: 'new@example.ee' });
    Object.assign(init.headers, { 'CF-Connecting-IP': '127.0.0.1' });
    const { status } = await app.request(
      `/api/v1/registrant/contacts/${world.contact.uuid}`,
      init,
      { ...worker.env, WEBHOOKS: queue } as Env,
      context as unknown as ExecutionContext,
    );
    return status;
  }

  it('the write is answered as ever, and the scheduled run queues what it has left', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
    const down = { sendBatch: () => Promise.reject(new Error('queue is down')) };
    const later: Promise<unknown>[] = [];
    expect(await requestWith(down, later)).toBe(200);
    await Promise.all(later);
    expect(logged.mock.calls.join()).toContain('queue is down');
    expect(await deliveries()).toMatchObject([{ queuedAt: null, attempts: 0 }]);
    await cron();
    await pass(0);
    expect(endpoint.received).toHaveLength(1);
  });

  it('the write does not wait for a queue that never answers', async () => {
    const silent = { sendBatch: () => new Promise(() => {}) };
    expect(await requestWith(silent)).toBe(200);
    expect(await deliveries()).toMatchObject([{ queuedAt: null }]);
  });

  it('a deployment without the binding answers as ever, too', async () => {
    expect(await requestWith(undefined)).toBe(200);
    expect(await deliveries()).toMatchObject([{ queuedAt: null }]);
  });

  it('what it took without saying so is queued again, and found to be delivered', async () => {
    await changeEmail();
    const silent: Pick<SteppedQueue, 'sendBatch'> = {
      async sendBatch(messages) {
        await world.queue.sendBatch(messages);
        throw new Error('connection lost');
      },
    };
    await expect(queueDeliveries(worker.db, silent, world.queue.now)).rejects.toThrow(
      'connection lost',
    );
    const queueAgain = new SteppedQueue(world.queue.now);
    await queueDeliveries(worker.db, queueAgain, world.queue.now);
    expect(queueAgain.size).toBe(1);
    await pass(0);
    world.queue = queueAgain;
    await pass(100);
    expect(endpoint.received).toHaveLength(1);
    expect(await deliveries()).toMatchObject([{ attempts: 1, outcome: 'HTTP 204' }]);
  });

  it('what it has lost is queued again after a day of silence', async () => {
    await changeEmail();
    await queueDeliveries(worker.db, new SteppedQueue(world.queue.now), world.queue.now);
    await pass(23);
    await cron();
    expect(world.queue.size).toBe(0);
    await pass(2);
    await cron();
    await pass(0);
    expect(endpoint.received).toHaveLength(1);
  });

  it('more than a hundred that waited are queued at once', async () => {
    for (let n = 0; n < 101; n++) await changeEmail();
    await cron();
    expect(world.queue.size).toBe(101);
    await pass(0);
    expect(endpoint.received).toHaveLength(101);
  });
});

describe('an endpoint that is down for a day', () => {
  it('gets everything when it is up again, within four hours and once', async () => {
    endpoint.answerStatus(() => 503);
    await changeEmail();
    await changeEmail();
    await cron();
    await pass(24);
    const refused = endpoint.received.length;
    expect(await deliveries()).toMatchObject([
      { outcome: 'HTTP 503', deliveredAt: null, failedAt: null },
      { outcome: 'HTTP 503', deliveredAt: null, failedAt: null },
    ]);
    endpoint.answerStatus(() => 200);
    await pass(4);
    expect(endpoint.received.length).toBe(refused + 2);
    expect(await deliveries()).toMatchObject([
      { outcome: 'HTTP 200', deliveredAt: expect.any(String), attempts: refused / 2 + 1 },
      { outcome: 'HTTP 200', deliveredAt: expect.any(String), attempts: refused / 2 + 1 },
    ]);
    await pass(100);
    expect(endpoint.received.length).toBe(refused + 2);
    const ids = endpoint.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(2);
  });

  it('is given up by way of the dead-letter queue when it stays down, with a line in the log', async () => {
    endpoint.answerStatus(() => 500);
    await changeEmail();
    await cron();
    await pass(7 * 24);
    expect(endpoint.received).toHaveLength(retryDelays.length + 1);
    expect(await deliveries()).toMatchObject([
      { attempts: retryDelays.length + 1, deliveredAt: null, failedAt: expect.any(String) },
    ]);
    expect(world.warned).toHaveBeenCalledWith(expect.stringContaining('"webhooks_given_up"'));
    await cron();
    expect(world.queue.size).toBe(0);
  });

  it('is tried as often as wrangler.toml says, in every environment', () => {
    const config = readFileSync('wrangler.toml', 'utf8');
    const sections = config.split(/^\[\[/m).filter((text) => text.includes('dead_letter_queue'));
    expect(sections.length).toBeGreaterThanOrEqual(2);
    for (const section of sections) {
      expect(section).toContain(`max_retries = ${retryDelays.length}\n`);
      expect(section).toMatch(/dead_letter_queue = ".*-dead"/);
    }
  });
});

describe('an endpoint that is slow', () => {
  it('is left after the time-out, and holds up no other delivery of the batch', async () => {
    // The first request is never answered.
    endpoint.answerWith((response, index) => {
      if (index > 0) response.writeHead(204).end();
    });
    await changeEmail();
    await changeEmail();
    await changeEmail();
    await cron();
    const impatient = { ...sender(), timeoutMilliseconds: 500 };
    await world.queue.pass(0, (batch) => consumeDeliveries(batch, worker.db, impatient));
    const outcomes = (await deliveries()).map(({ outcome }) => outcome).sort();
    expect(outcomes).toEqual(['HTTP 204', 'HTTP 204', 'no answer in time']);
    await pass(1);
    expect((await deliveries()).every(({ deliveredAt }) => deliveredAt !== null)).toBe(true);
  });

  it('may talk for ever after its status: nobody listens', async () => {
    endpoint.answerWith((response) => response.writeHead(200).write('a'));
    await changeEmail();
    await cron();
    await pass(0);
    expect(await deliveries()).toMatchObject([{ outcome: 'HTTP 200', attempts: 1 }]);
  });

  it('that hangs up is tried again', async () => {
    endpoint.answerWith((response, index) =>
      index === 0 ? response.destroy() : response.writeHead(204).end(),
    );
    await changeEmail();
    await cron();
    await pass(0);
    expect(await deliveries()).toMatchObject([{ outcome: 'no connection', deliveredAt: null }]);
    await pass(1);
    expect(await deliveries()).toMatchObject([{ outcome: 'HTTP 204', attempts: 2 }]);
  });
});

describe('a consumer that ends midway', () => {
  it('sends again, with the same id, what was sent but not recorded', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    await changeEmail();
    await cron();
    const dying = new Proxy(worker.db, {
      get: (target, property) =>
        property === 'update'
          ? () => {
              throw new Error('killed');
            }
          : Reflect.get(target, property),
    });
    await world.queue.pass(0, (batch) => consumeDeliveries(batch, dying, sender()));
    expect(endpoint.received).toHaveLength(1);
    expect(await deliveries()).toMatchObject([{ attempts: 0, deliveredAt: null }]);
    await pass(1);
    const [first, second] = endpoint.received;
    expect(endpoint.received).toHaveLength(2);
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    expect(second!.body).toBe(first!.body);
    expect(await deliveries()).toMatchObject([{ deliveredAt: expect.any(String) }]);
  });
});
