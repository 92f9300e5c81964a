import { expect, it } from 'vitest';
import { webhooks } from '../../../drizzle/schema.ts';
import { startPushing } from './pushing.ts';
import { SteppedQueue } from './stepped-queue.ts';

const { worker, endpoint, world, call, changeEmail, cron, pass, addNeighbour, deliveries } =
  startPushing();

const seconds = (count: number) => pass(count / 3600);
const requestTest = async () => (await call('POST', '/test')).body.data.delivery.id as string;

it('a registrar that asks for fifty tests at once has one that waits, and one message in the queue', async () => {
  const ids = await Promise.all(Array.from({ length: 50 }, requestTest));
  const [id] = ids;
  expect(new Set(ids).size).toBe(1);
  expect(await deliveries()).toMatchObject([{ id, attempts: 0 }]);
  expect(world.queue.sent).toEqual([{ registrar: world.registrar.id, test: id }]);
  await seconds(1);
  expect(endpoint.received).toHaveLength(1);
  expect(await requestTest()).not.toBe(id);
});

it('a registrar’s tests do not pile up: the last ten stay, and the one that waits', async () => {
  for (let n = 0; n < 13; n++) {
    await requestTest();
    await pass(0.1);
  }
  await requestTest();
  expect(endpoint.received).toHaveLength(13);
  expect(await deliveries()).toHaveLength(11);
});

it('a test comes before what waits, and ends a pause after a failure', async () => {
  endpoint.answerStatus(() => 500);
  await changeEmail();
  await cron();
  await pass(8);
  const refused = endpoint.received.length;
  endpoint.answerStatus(() => 204);
  const id = await requestTest();
  await seconds(1);
  const sent = endpoint.received.slice(refused).map(({ headers }) => headers['webhook-id']);
  const [, waiting] = await deliveries();
  expect(sent).toEqual([id, waiting!.id]);
  // The message that was to come at the end of the pause finds nothing to do.
  await changeEmail();
  await pass(8);
  expect(endpoint.received).toHaveLength(refused + 2);
});

it('tests that fail change nothing for deliveries, and leave their one message in the queue', async () => {
  endpoint.answerStatus(() => 500);
  await changeEmail();
  await cron();
  await pass(8);
  const state = await worker.db.select().from(webhooks);
  for (let n = 0; n < 20; n++) {
    await requestTest();
    await seconds(10);
    expect(world.queue.size).toBe(1);
  }
  expect(await worker.db.select().from(webhooks)).toEqual(state);
});

it('each of three tests arrives within seconds, though the one before failed', async () => {
  endpoint.answerStatus((index) => (index < 2 ? 500 : 204));
  for (let n = 1; n <= 3; n++) {
    await requestTest();
    await seconds(10);
    expect(endpoint.received).toHaveLength(n);
  }
});

it('a test waits until ten seconds after the one before, also where the webhook was set again', async () => {
  await requestTest();
  await seconds(1);
  await call('DELETE', '');
  await call('PUT', '', { webhook: { url: `${endpoint.url}/2` } });
  const id = await requestTest();
  expect(await requestTest()).toBe(id);
  await seconds(7);
  expect(endpoint.received).toHaveLength(1);
  await seconds(3);
  expect(endpoint.received.map(({ headers }) => headers['webhook-id'])).toContain(id);
});

it('a test waits for as long as the receiver asks, and deliveries do not wait for it', async () => {
  endpoint.answerWith((response) => response.writeHead(500, { 'Retry-After': '43000' }).end());
  await requestTest();
  await seconds(1);
  for (let n = 0; n < 10; n++) await requestTest();
  const [{ next_attempt_at: at }] = (await call('GET', '/deliveries')).body.data.deliveries;
  const rest = Date.parse(at) - world.queue.now.getTime();
  expect(rest).toBeGreaterThan(42_990_000);
  expect(rest).toBeLessThanOrEqual(43_000_000);
  expect(world.queue.size).toBe(1);
  await call('POST', '/secret');
  await seconds(42_980);
  expect(endpoint.received).toHaveLength(1);
  endpoint.answerStatus(() => 204);
  await changeEmail();
  await cron();
  await seconds(1);
  expect(endpoint.received).toHaveLength(2);
  await seconds(30);
  expect(endpoint.received).toHaveLength(3);
});

it('a test that waits ends with its address, and the next one goes to the new one at once', async () => {
  endpoint.answerWith((response) => response.writeHead(500, { 'Retry-After': '43000' }).end());
  await requestTest();
  await seconds(10);
  const ended = await requestTest();
  await call('PUT', '', { webhook: { url: `${endpoint.url}/2` } });
  expect((await deliveries()).find(({ id }) => id === ended)).toMatchObject({
    outcome: 'the webhook has another URL',
  });
  endpoint.answerStatus(() => 204);
  const id = await requestTest();
  await seconds(1);
  expect(endpoint.received.at(-1)!.headers['webhook-id']).toBe(id);
  await pass(24);
  expect(endpoint.received).toHaveLength(2);
});

it('the messages of tests that ended with their addresses end, though the new one rests too', async () => {
  endpoint.answerWith((response) => response.writeHead(500, { 'Retry-After': '43000' }).end());
  for (let n = 0; n < 3; n++) {
    await call('PUT', '', { webhook: { url: `${endpoint.url}/${n}` } });
    await requestTest();
    await seconds(11);
    await requestTest();
  }
  await pass(13);
  expect(endpoint.received).toHaveLength(4);
  expect(world.queue.size).toBe(0);
});

it('there is no test after 410', async () => {
  endpoint.answerStatus(() => 410);
  await requestTest();
  await seconds(10);
  expect(await call('POST', '/test')).toMatchObject({ status: 400, body: { code: 2304 } });
});

it('a test whose message was lost is queued again by the cron', async () => {
  await requestTest();
  world.queue = new SteppedQueue(world.queue.now);
  await cron();
  expect(world.queue.size).toBe(0);
  await pass(0.5);
  await cron();
  await pass(0);
  expect(endpoint.received).toHaveLength(1);
});

it('messages of an earlier turn end by themselves, however often the address changes', async () => {
  endpoint.answerStatus(() => 500);
  await changeEmail();
  await cron();
  await pass(3);
  for (let n = 0; n < 20; n++) {
    await call('PUT', '', { webhook: { url: `${endpoint.url}/${n}` } });
    await cron();
    await seconds(1);
  }
  const refused = endpoint.received.length;
  await pass(24);
  // As often as one webhook that fails: after five seconds, one minute, …, and then every four hours.
  expect(endpoint.received.length - refused).toBeLessThan(13);
  expect(world.queue.size).toBe(1);
});

it('the turn of a slow receiver ends, and its next delivery waits behind those of other registrars', async () => {
  const slow = await addNeighbour(`${endpoint.url}/slow`);
  for (let n = 0; n < 5; n++) await changeEmail(undefined, slow);
  await cron();
  endpoint.answerWith(async (response, index) => {
    world.queue.now = new Date(world.queue.now.getTime() + 9_000);
    if (index === 0) {
      await changeEmail();
      await cron();
    }
    response.writeHead(204).end();
  });
  await pass(1);
  const codes = endpoint.received.map(({ body }) => JSON.parse(body).data.attached_obj_id);
  expect(codes.indexOf(world.contact.code)).toBe(2);
  expect(codes).toHaveLength(6);
});
