import { expect, it } from 'vitest';
import { startPushing } from './pushing.ts';

const { endpoint, world, call, changeEmail, cron, pass, addNeighbour, deliveries } = startPushing();

const requestTest = async () => (await call('POST', '/test')).body.data.delivery.id as string;

it('a registrar that asks for fifty tests at once has one that waits, and one message in the queue', async () => {
  const ids = await Promise.all(Array.from({ length: 50 }, requestTest));
  expect(new Set(ids).size).toBe(1);
  expect(await deliveries()).toMatchObject([{ id: ids[0], attempts: 0 }]);
  await cron();
  expect(world.queue.sent).toEqual([{ registrar: world.registrar.id }]);
  await pass(1);
  expect(endpoint.received).toHaveLength(1);
  expect(await requestTest()).not.toBe(ids[0]);
});

it('a registrar’s tests do not pile up: the last ten stay, and the one that waits', async () => {
  for (let n = 0; n < 13; n++) {
    await requestTest();
    await cron();
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
  await cron();
  await pass(0);
  const sent = endpoint.received.slice(refused).map(({ headers }) => headers['webhook-id']);
  const [, waiting] = await deliveries();
  expect(sent).toEqual([id, waiting!.id]);
});

it('tests that fail leave one message in the queue', async () => {
  endpoint.answerStatus(() => 500);
  await changeEmail();
  await cron();
  await pass(8);
  for (let n = 0; n < 5; n++) {
    await requestTest();
    await cron();
    await pass(0);
  }
  await pass(8);
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

it('a test of a webhook that has ended meanwhile finds none', async () => {
  const { status } = await call('POST', '/test');
  expect(status).toBe(200);
  await call('DELETE', '');
  expect(await deliveries()).toMatchObject([
    { outcome: 'the registrar has no webhook any more', deliveredAt: null },
  ]);
  expect(await call('POST', '/test')).toMatchObject({ status: 404 });
});
