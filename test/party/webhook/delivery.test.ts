import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { notifications, webhookDeliveries, webhooks } from '../../../drizzle/schema.ts';
import { listHistory } from '../../../src/change/history/operator/search.ts';
import { updateRegistrar } from '../../../src/party/registrar/operator/account.ts';
import { getWebhook } from '../../../src/party/registrar/operator/webhook.ts';
import { generateWebhookSecret } from '../../../src/party/registrar/webhook.ts';
import { sendDeliveries } from '../../../src/party/webhook/deliver.ts';
import { dropDeliveries } from '../../../src/party/webhook/operator/drop.ts';
import { listGivenUp } from '../../../src/party/webhook/operator/given-up.ts';
import { resendDeliveries } from '../../../src/party/webhook/operator/resend.ts';
import { endOldDeliveries, listFailingWebhooks } from '../../../src/party/webhook/outbox.ts';
import { addTest } from '../../../src/party/webhook/test-delivery.ts';
import { runCron } from '../../../src/worker/cron.ts';
import { addContact, operator } from '../../support/fixtures.ts';
import { beforeBatch } from '../../support/meanwhile.ts';
import { verified } from './endpoint.ts';
import { startPushing } from './pushing.ts';

const { worker, endpoint, world, sender, test, operatorNow, changeEmail, cron, pass, deliveries } =
  startPushing();

it('a delivery is signed as Standard Webhooks says, and names the change without any personal data', async () => {
  await changeEmail('new@example.ee');
  await cron();
  await pass(0);
  const [request] = endpoint.received;
  const [notification] = await worker.db
    .select()
    .from(notifications)
    .where(eq(notifications.subjectKey, world.contact.code));
  expect(verified(world.secret, request!)).toEqual({
    type: 'contact.updated',
    timestamp: notification!.createdAt,
    data: {
      id: notification!.id,
      text: `Contact ${world.contact.code} has been updated by registrant`,
      attached_obj_type: 'Contact',
      attached_obj_id: world.contact.code,
      created_at: notification!.createdAt,
      cause: null,
      fields: ['email'],
    },
  });
  expect(request!.headers).toMatchObject({
    'content-type': 'application/json',
    'webhook-id': expect.stringMatching(/^msg_[0-9a-f]{32}$/),
  });
  expect(() => verified(generateWebhookSecret(), request!)).toThrow('No matching signature');
  expect(() => verified(world.secret, { ...request!, body: `${request!.body} ` })).toThrow();
  expect(await deliveries()).toMatchObject([
    {
      attempts: 1,
      outcome: 'HTTP 204',
      deliveredAt: world.queue.now.toISOString(),
      failedAt: null,
    },
  ]);
});

it('a delivery is not made for a registrar without a webhook, nor for what changed nothing', async () => {
  await changeEmail(world.contact.email);
  await worker.db.delete(webhooks).where(eq(webhooks.registrarId, world.registrar.id));
  await changeEmail();
  expect(await deliveries()).toEqual([]);
});

it('a delivery of what the scheduled run itself did is queued in the same run', async () => {
  const orphan = await addContact(worker.env, world.registrar, {
    createdAt: '2020-01-01T00:00:00.000Z',
  });
  const env = { ...worker.env, ORPHAN_CONTACT_MONTHS: '12', WEBHOOKS: world.queue as never };
  await runCron('31 * * * *', env, {});
  await pass(0);
  expect(endpoint.received.map(({ body }) => JSON.parse(body))).toMatchObject([
    { type: 'contact.deleted', data: { attached_obj_id: orphan.code, fields: [] } },
  ]);
});

it('a delivery follows no redirect', async () => {
  endpoint.answerWith((response) => response.writeHead(302, { Location: endpoint.url }).end());
  await changeEmail();
  await cron();
  await pass(0);
  expect(endpoint.received).toHaveLength(1);
  expect(await deliveries()).toMatchObject([{ outcome: 'HTTP 302', deliveredAt: null }]);
});

it('a delivery never goes to a private network, even where the row says so', async () => {
  await changeEmail();
  const next = await sendDeliveries(worker.db, world.registrar.id, {
    ...sender(),
    isLocal: false,
  });
  expect(next?.at).toEqual(new Date(world.queue.now.getTime() + 5_000));
  expect(endpoint.received).toEqual([]);
  expect(await deliveries()).toMatchObject([
    { outcome: 'the webhook must begin with https://', deliveredAt: null },
  ]);
});

it('a delivery is given up when the webhook is removed, and nothing is sent', async () => {
  await changeEmail();
  await cron();
  await updateRegistrar({ db: worker.db, origin: operator }, world.registrar.code, {
    webhookUrl: null,
  });
  await pass(100);
  expect(endpoint.received).toEqual([]);
  expect(await deliveries()).toMatchObject([
    { outcome: 'the registrar has no webhook any more', failedAt: expect.any(String) },
  ]);
});

it('a delivery is given up after a week, with a line in the log, and kept in the list for 30 days, and until it was dropped', async () => {
  await changeEmail();
  await cron();
  const later = (days: number) => new Date(world.queue.now.getTime() + days * 86_400_000 + 1);
  await endOldDeliveries(worker.db, later(6));
  expect(await deliveries()).toMatchObject([{ failedAt: null }]);
  await endOldDeliveries(worker.db, later(7));
  expect(await deliveries()).toMatchObject([{ failedAt: later(7).toISOString() }]);
  expect(world.warned).toHaveBeenCalledExactlyOnceWith(
    '{"level":"warn","event":"deliveries_given_up","deliveries":1}',
  );
  await pass(0);
  expect(endpoint.received).toEqual([]);
  await endOldDeliveries(worker.db, later(30));
  expect(await deliveries()).toHaveLength(1);
  await dropDeliveries(worker.operation, world.registrar.code);
  await endOldDeliveries(worker.db, later(30));
  expect(await deliveries()).toEqual([]);
});

it('a delivery that arrives while the cron gives it up is delivered', async () => {
  const weekLater = new Date(world.queue.now.getTime() + 8 * 86_400_000);
  endpoint.answerWith(async (response) => {
    await endOldDeliveries(worker.db, weekLater);
    response.writeHead(204).end();
  });
  await changeEmail();
  await cron();
  await pass(0);
  expect(await deliveries()).toMatchObject([
    { outcome: 'HTTP 204', deliveredAt: expect.any(String), failedAt: null },
  ]);
});

it('a delivery that fails while the cron gives it up says that it was given up', async () => {
  const weekLater = new Date(world.queue.now.getTime() + 8 * 86_400_000);
  endpoint.answerWith(async (response) => {
    await endOldDeliveries(worker.db, weekLater);
    response.writeHead(500).end();
  });
  await changeEmail();
  await cron();
  await pass(0);
  expect(await deliveries()).toMatchObject([
    { outcome: 'given up after a week', failedAt: weekLater.toISOString(), attempts: 0 },
  ]);
});

const ids = () => endpoint.received.map(({ body }) => JSON.parse(body).data.id as number);

it('the operator sends again what was delivered or given up, in its order, with the same ids', async () => {
  for (let n = 0; n < 3; n++) await changeEmail();
  await cron();
  await pass(0);
  const sent = endpoint.received.map(({ headers }) => headers['webhook-id']);
  const [, second, third] = ids();
  await worker.db
    .update(webhookDeliveries)
    .set({ deliveredAt: null, failedAt: '2026-01-01', createdAt: '2999-01-01T00:00:00.000Z' })
    .where(eq(webhookDeliveries.notificationId, third!));
  await worker.db
    .update(webhookDeliveries)
    .set({ createdAt: '2998-01-01T00:00:00.000Z' })
    .where(eq(webhookDeliveries.notificationId, second!));

  const since = new Date('2998-01-01T00:00:00.000Z');
  const { code } = world.registrar;
  expect(await resendDeliveries({ ...worker.operation, isDryRun: true }, code, { since })).toBe(2);
  await cron();
  expect(world.queue.size).toBe(0);
  expect(await resendDeliveries(worker.operation, code, { since })).toBe(2);
  await cron();
  await pass(0);
  expect(ids().slice(3)).toEqual([second, third]);
  expect(endpoint.received.slice(3).map(({ headers }) => headers['webhook-id'])).toEqual(
    sent.slice(1),
  );
  const told = await listHistory(worker.db, { subject: 'registrar', key: code }, { limit: 10 });
  expect(told.map(({ changes }) => changes)).toEqual([
    { webhookResent: { from: null, to: 'since 2998-01-01T00:00:00.000Z' } },
  ]);
});

it('the operator sends again at once, though the endpoint rests, what was given up weeks ago', async () => {
  endpoint.answerStatus(() => 500);
  await changeEmail();
  await cron();
  await pass(8 * 24);
  await endOldDeliveries(worker.db, world.queue.now);
  await changeEmail();
  await cron();
  await pass(1);
  const refused = endpoint.received.length;
  endpoint.answerStatus(() => 204);
  const [, { id }] = (await deliveries()) as [unknown, { id: string }];
  expect(
    await resendDeliveries({ db: worker.db, origin: operatorNow() }, world.registrar.code, { id }),
  ).toBe(1);
  await endOldDeliveries(worker.db, world.queue.now);
  await cron();
  await pass(0);
  expect(endpoint.received[refused]!.headers['webhook-id']).toBe(id);
  expect(endpoint.received).toHaveLength(refused + 2);
});

it('the operator sends again what is 29 days old, and finds it in the list for 30 days more', async () => {
  await changeEmail();
  await cron();
  await pass(29 * 24);
  const { id } = (await deliveries())[0]!;
  await resendDeliveries({ db: worker.db, origin: operatorNow() }, world.registrar.code, { id });
  await pass(2 * 24);
  await endOldDeliveries(worker.db, world.queue.now);
  await cron();
  await pass(0);
  expect(endpoint.received).toHaveLength(2);
  await endOldDeliveries(worker.db, world.queue.now);
  expect(await deliveries()).toMatchObject([{ id, attempts: 2, outcome: 'HTTP 204' }]);
  await pass(28 * 24 + 1);
  await endOldDeliveries(worker.db, world.queue.now);
  expect(await deliveries()).toEqual([]);
});

it('the operator is told how many are sent again, counted as they are taken', async () => {
  for (let n = 0; n < 2; n++) await changeEmail();
  const [waiting, delivered] = await deliveries();
  const deliveredAt = world.queue.now.toISOString();
  const deliver = ({ id }: { id: string }) =>
    worker.db.update(webhookDeliveries).set({ deliveredAt }).where(eq(webhookDeliveries.id, id));
  await deliver(delivered!);
  const racing = beforeBatch(worker.env, 1, () => deliver(waiting!));
  const since = new Date(0);
  expect(
    await resendDeliveries({ db: racing, origin: operator }, world.registrar.code, { since }),
  ).toBe(2);
});

it('the operator cannot send again what waits already, what is of another registrar, or what nobody knows', async () => {
  await changeEmail();
  const [waiting] = await deliveries();
  for (const id of [waiting!.id, 'msg_1']) {
    await expect(resendDeliveries(worker.operation, world.registrar.code, { id })).rejects.toThrow(
      `registrar ${world.registrar.code} has no delivery ${id} that was delivered or given up`,
    );
  }
});

it('the operator leaves a test to the queue when its command is killed half-way', async () => {
  const webhook = await getWebhook(worker.db, world.registrar.code);
  await addTest(worker.db, webhook, world.queue.now);
  await pass(1);
  await cron();
  await pass(25);
  expect(endpoint.received).toHaveLength(1);
  expect(await deliveries()).toMatchObject([{ attempts: 1, outcome: 'HTTP 204' }]);
});

it('the operator is told of a webhook after an hour of failing, until a test or a delivery arrives', async () => {
  const began = world.queue.now.toISOString();
  endpoint.answerStatus(() => 500);
  await changeEmail();
  await cron();
  await pass(0.9);
  expect(await listFailingWebhooks(worker.db, world.queue.now)).toEqual([]);
  await pass(0.1);
  const failing = [{ registrar: world.registrar.code, since: began }];
  expect(await listFailingWebhooks(worker.db, world.queue.now)).toEqual(failing);
  await endOldDeliveries(worker.db, world.queue.now);
  expect(world.warned).toHaveBeenCalledExactlyOnceWith(
    '{"level":"warn","event":"webhook_failing","webhooks":1}',
  );
  endpoint.answerStatus(() => 204);
  await test();
  expect(await listFailingWebhooks(worker.db, world.queue.now)).toEqual([]);
  await cron();
  await pass(0);
  expect((await deliveries()).map(({ outcome }) => outcome)).toEqual(['HTTP 204', 'HTTP 204']);
});

it('the operator is told of deliveries that were given up until they are sent again or dropped', async () => {
  const { code } = world.registrar;
  const told = () => listGivenUp(worker.db);
  endpoint.answerStatus(() => 500);
  await changeEmail();
  const since = (await deliveries())[0]!.createdAt;
  await changeEmail();
  await cron();
  await pass(0.5);
  await test();
  await pass(1);
  // What the alarm names is where a resend begins.
  expect(await listFailingWebhooks(worker.db, world.queue.now)).toEqual([
    { registrar: code, since },
  ]);
  await pass(8 * 24);
  await endOldDeliveries(worker.db, world.queue.now);
  expect(await told()).toEqual([{ registrar: code, deliveries: 2, since }]);
  const operation = { db: worker.db, origin: operatorNow() };
  expect(await resendDeliveries(operation, code, { since: new Date(since) })).toBe(2);
  expect(await told()).toEqual([]);
  await pass(8 * 24);
  await endOldDeliveries(worker.db, world.queue.now);
  expect(await told()).toMatchObject([{ deliveries: 2 }]);
  expect(await dropDeliveries({ ...operation, isDryRun: true }, code)).toBe(2);
  expect(await dropDeliveries(operation, code)).toBe(2);
  expect(await dropDeliveries(operation, code)).toBe(0);
  expect(await told()).toEqual([]);
  const entries = await listHistory(worker.db, { subject: 'registrar', key: code }, { limit: 10 });
  expect(entries.map(({ changes }) => changes)).toContainEqual({
    webhookDropped: { from: null, to: 2 },
  });
});

it('a drop in whose moment all is sent again drops nothing, and notes nothing', async () => {
  const { code } = world.registrar;
  endpoint.answerStatus(() => 500);
  await changeEmail();
  const since = new Date((await deliveries())[0]!.createdAt);
  await cron();
  await pass(0);
  await pass(8 * 24);
  await endOldDeliveries(worker.db, world.queue.now);
  const operation = { db: worker.db, origin: operatorNow() };
  const db = beforeBatch(worker.env, 1, () => resendDeliveries(operation, code, { since }));
  expect(await dropDeliveries({ ...operation, db }, code)).toBe(0);
  const entries = await listHistory(worker.db, { subject: 'registrar', key: code }, { limit: 10 });
  expect(JSON.stringify(entries)).not.toContain('webhookDropped');
});

it('the operator sends again what was attempted since a time, however early it was created', async () => {
  endpoint.answerStatus(() => 500);
  await changeEmail();
  await cron();
  await pass(1);
  const since = world.queue.now;
  await pass(7.1 * 24);
  await endOldDeliveries(worker.db, world.queue.now);
  const operation = { db: worker.db, origin: operatorNow() };
  expect(await resendDeliveries(operation, world.registrar.code, { since })).toBe(1);
});

it('the operator is told no more of a webhook that failed once nothing waits for it', async () => {
  endpoint.answerStatus(() => 500);
  await changeEmail();
  await cron();
  await pass(8 * 24);
  expect(await listFailingWebhooks(worker.db, world.queue.now)).toHaveLength(1);
  await endOldDeliveries(worker.db, world.queue.now);
  expect(await listFailingWebhooks(worker.db, world.queue.now)).toEqual([]);
});
