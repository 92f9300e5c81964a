import { expect, it, vi } from 'vitest';
import { openDatabase } from '../../../src/base/database/open.ts';
import { consumeDeliveries } from '../../../src/party/webhook/consume.ts';
import { listDeliveries } from '../../../src/party/webhook/operator/list.ts';
import { queueDeliveries } from '../../../src/party/webhook/outbox.ts';
import { Faults, passingMessages } from '../../attack/faults.ts';
import { aroundBatches } from '../../support/meanwhile.ts';
import { startPushing } from './pushing.ts';
import { SteppedQueue } from './stepped-queue.ts';

const {
  worker,
  endpoint,
  world,
  sender,
  changeEmail,
  request,
  cron,
  pass,
  addNeighbour,
  deliveries,
} = startPushing();

it('while the queue is down, the write is answered as ever, and the scheduled run queues what it has left', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
  const down = { sendBatch: () => Promise.reject(new Error('queue is down')) };
  const { status, later } = await request(down);
  expect(status).toBe(200);
  await Promise.all(later);
  expect(logged.mock.calls.join()).toContain('queue is down');
  expect(await deliveries()).toMatchObject([{ attempts: 0, deliveredAt: null }]);
  await pass(1);
  await cron();
  await pass(0);
  expect(endpoint.received).toHaveLength(1);
});

it('the write does not wait for a queue that never answers', async () => {
  const silent = { sendBatch: () => new Promise(() => {}) };
  expect(await request(silent)).toMatchObject({ status: 200 });
  expect(await deliveries()).toMatchObject([{ attempts: 0 }]);
});

it('a deployment without the queue’s binding answers as ever, too', async () => {
  expect(await request(undefined)).toMatchObject({ status: 200 });
  expect(await deliveries()).toMatchObject([{ attempts: 0 }]);
});

it('what the queue took without saying so is queued again, and found to be delivered', async () => {
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
  await pass(1);
  await cron();
  await pass(100);
  expect(endpoint.received).toHaveLength(1);
  expect(await deliveries()).toMatchObject([{ attempts: 1, outcome: 'HTTP 204' }]);
});

it('what the queue has lost is queued again by the next scheduled run', async () => {
  await changeEmail();
  await queueDeliveries(worker.db, new SteppedQueue(world.queue.now), world.queue.now);
  await cron();
  expect(world.queue.size).toBe(0);
  await pass(1);
  await cron();
  await pass(0);
  expect(endpoint.received).toHaveLength(1);
});

it('the next attempt of an endpoint that fails is made, though its message was lost', async () => {
  endpoint.answerStatus(() => 500);
  await changeEmail();
  await cron();
  await pass(8);
  const refused = endpoint.received.length;
  world.queue = new SteppedQueue(world.queue.now);
  await pass(5);
  await cron();
  await pass(0);
  expect(endpoint.received).toHaveLength(refused + 1);
});

it('an endpoint that is down for a day gets everything when it is up again, within four hours and once', async () => {
  endpoint.answerStatus(() => 503);
  await changeEmail();
  await changeEmail();
  await cron();
  await pass(24);
  const refused = endpoint.received.length;
  expect(await deliveries()).toMatchObject([
    { outcome: null, attempts: 0, deliveredAt: null, failedAt: null },
    { outcome: 'HTTP 503', attempts: refused, deliveredAt: null, failedAt: null },
  ]);
  endpoint.answerStatus(() => 200);
  await pass(4);
  expect(endpoint.received.length).toBe(refused + 2);
  expect(await deliveries()).toMatchObject([
    { outcome: 'HTTP 200', deliveredAt: expect.any(String), attempts: 1 },
    { outcome: 'HTTP 200', deliveredAt: expect.any(String), attempts: refused + 1 },
  ]);
  await pass(100);
  expect(endpoint.received.length).toBe(refused + 2);
  const ids = endpoint.received.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(2);
});

it('an endpoint that is down for a day is tried after 5 seconds, 1, 5 and 30 minutes, 1 and 2 hours, and every 4 hours', async () => {
  const times: number[] = [];
  endpoint.answerWith((response) => {
    times.push(world.queue.now.getTime());
    response.writeHead(503).end();
  });
  await changeEmail();
  await cron();
  await pass(12);
  const pauses = times.slice(1).map((time, index) => (time - times[index]!) / 60_000);
  expect(pauses).toEqual([5 / 60, 1, 5, 30, 60, 120, 240, 240]);
});

it('a slow endpoint is left after the time-out, and holds up no other registrar of the batch', async () => {
  const neighbour = await addNeighbour();
  // The first request is never answered.
  endpoint.answerWith((response, index) => {
    if (index > 0) response.writeHead(204).end();
  });
  await changeEmail();
  await cron();
  await changeEmail(undefined, neighbour);
  await cron();
  const patience: AbortController[] = [];
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const controller = new AbortController();
    patience.push(controller);
    return controller.signal;
  });
  const send: typeof fetch = async (url, init) => {
    const response = await fetch(url, init);
    // One was answered; now the time of the other one passes.
    const other = patience.find(({ signal }) => signal !== init!.signal)!;
    other.abort(new DOMException('The operation timed out', 'TimeoutError'));
    return response;
  };
  await world.queue.pass(0, (batch) =>
    consumeDeliveries(batch, worker.db, world.queue, { ...sender(), fetch: send }),
  );
  expect(timeout.mock.calls).toEqual([[10_000], [10_000]]);
  timeout.mockRestore();
  const outcomes = async () =>
    (await listDeliveries(worker.db, { limit: 2 })).map(({ outcome }) => outcome).sort();
  expect(await outcomes()).toEqual(['HTTP 204', 'no answer in time']);
  await pass(1);
  expect(await outcomes()).toEqual(['HTTP 204', 'HTTP 204']);
});

it('a slow endpoint may talk for ever after its status: nobody listens', async () => {
  endpoint.answerWith((response) => response.writeHead(200).write('a'));
  await changeEmail();
  await cron();
  await pass(0);
  expect(await deliveries()).toMatchObject([{ outcome: 'HTTP 200', attempts: 1 }]);
});

it('a slow endpoint that hangs up is tried again', async () => {
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

it('a consumer that ends midway goes on at once with what came meanwhile, though no answer to its last statement came', async () => {
  await changeEmail();
  await cron();
  endpoint.answerWith(async (response, index) => {
    if (index === 0) await changeEmail();
    response.writeHead(204).end();
  });
  // It takes the webhook, reads what waits, records, and lets the webhook go.
  const lost = new Faults({ message: passingMessages[0]!, isDone: true }, (call) => call === 3);
  const db = openDatabase(lost.wrap(worker.env).DB);
  await world.queue.pass(0, (batch) => consumeDeliveries(batch, db, world.queue, sender()));
  expect(lost.calls.length).toBeGreaterThan(4);
  expect(endpoint.received).toHaveLength(2);
  expect(world.queue.size).toBe(0);
});

it('a consumer that ends midway sends again, with the same id, what was sent but not recorded', async () => {
  await changeEmail();
  await cron();
  const dying = aroundBatches(worker.env, () => Promise.reject(new Error('killed')));
  await world.queue.pass(0, (batch) => consumeDeliveries(batch, dying, world.queue, sender()));
  expect(endpoint.received).toHaveLength(1);
  expect(await deliveries()).toMatchObject([{ attempts: 0, deliveredAt: null }]);
  await pass(1);
  const [first, second] = endpoint.received;
  expect(endpoint.received).toHaveLength(2);
  expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
  expect(second!.body).toBe(first!.body);
  expect(await deliveries()).toMatchObject([{ deliveredAt: expect.any(String) }]);
});
