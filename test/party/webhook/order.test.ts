import { eq, sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { notifications, webhookDeliveries, webhooks } from '../../../drizzle/schema.ts';
import { openDatabase } from '../../../src/base/database/open.ts';
import { updateRegistrar } from '../../../src/party/registrar/operator/account.ts';
import { consumeDeliveries } from '../../../src/party/webhook/consume.ts';
import { sendDeliveries } from '../../../src/party/webhook/deliver.ts';
import { resendDeliveries } from '../../../src/party/webhook/operator/resend.ts';
import { queueDeliveries } from '../../../src/party/webhook/outbox.ts';
import { counted } from '../../support/counted.ts';
import { operator } from '../../support/fixtures.ts';
import { startPushing } from './pushing.ts';
import { SteppedQueue } from './stepped-queue.ts';

const {
  worker,
  endpoint,
  world,
  sender,
  test,
  operatorNow,
  changeEmail,
  cron,
  pass,
  request,
  addNeighbour,
  deliveries,
} = startPushing();

type Pushed = Awaited<ReturnType<typeof addNeighbour>>;

/** The person's change, and the work after its answer. */
async function change(pushed?: Pushed) {
  const { status, later } = await request(world.queue, pushed);
  expect(status).toBe(200);
  await Promise.all(later);
}

/** The ids of the notifications that the endpoint has received, or those of one contact. */
const received = (contact?: Pushed['contact']) =>
  endpoint.received
    .map(({ body }) => JSON.parse(body).data)
    .filter((data) => contact === undefined || data.attached_obj_id === contact.code)
    .map(({ id }) => id as number);

async function notified({ registrar }: Pick<Pushed, 'registrar'>) {
  const rows = await worker.db
    .select()
    .from(notifications)
    .where(eq(notifications.registrarId, registrar.id))
    .orderBy(notifications.id);
  return rows.map(({ id }) => id);
}

it('a message in the queue is sent once for a registrar, however many write at once, and each delivery is posted once', async () => {
  await Promise.all(Array.from({ length: 20 }, () => change()));
  expect(world.queue.sent).toMatchObject([{ registrar: world.registrar.id }]);
  await pass(0);
  expect(received()).toEqual(await notified(world));
  expect(received()).toHaveLength(20);
});

it('a message in the queue is sent for each of twenty registrars whose contacts change at once', async () => {
  const all = await Promise.all(Array.from({ length: 20 }, () => addNeighbour()));
  await Promise.all(all.map(change));
  const ids = (rows: { registrar: number }[]) => rows.map(({ registrar }) => registrar).sort();
  expect(ids(world.queue.sent)).toEqual(all.map(({ registrar }) => registrar.id).sort());
  await pass(0);
  expect(received()).toHaveLength(20);
});

it('a message in the queue is sent by the request itself, though thousands wait for other registrars', async () => {
  await changeEmail();
  const [newest] = await notified(world);
  await worker.db.run(sql`
      insert into ${webhookDeliveries} (id, registrar_id, notification_id, created_at, waits_since)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 2000)
      select 'msg_' || n, ${world.registrar.id}, ${newest}, '2026-01-01', '2026-01-01' from numbers`);
  const neighbour = await addNeighbour();
  await change(neighbour);
  expect(world.queue.sent).toMatchObject([{ registrar: neighbour.registrar.id }]);
});

it('a message in the queue that comes twice leads to one post, also to two consumers at once', async () => {
  await changeEmail();
  await changeEmail();
  await cron();
  const twin = new SteppedQueue(world.queue.now);
  await twin.send(world.queue.sent[0]!);
  const consumeOf = (queue: SteppedQueue) =>
    queue.pass(0, (batch) => consumeDeliveries(batch, worker.db, queue, sender()));
  await Promise.all([consumeOf(world.queue), consumeOf(twin)]);
  await pass(1);
  await cron();
  await pass(1);
  expect(received()).toEqual(await notified(world));
});

it('the deliveries of a registrar leave in the order of the notifications, also when an attempt in the middle fails', async () => {
  for (let n = 0; n < 4; n++) await changeEmail();
  await cron();
  endpoint.answerStatus((index) => (index === 1 ? 500 : 204));
  await pass(1);
  const [first, second, third, fourth] = await notified(world);
  expect(received()).toEqual([first, second, second, third, fourth]);
});

it('the deliveries of a registrar include one that is written while the one before is on its way', async () => {
  await changeEmail();
  await cron();
  endpoint.answerWith(async (response, index) => {
    if (index === 0) {
      await changeEmail();
      await cron();
    }
    response.writeHead(204).end();
  });
  await pass(0);
  expect(received()).toEqual(await notified(world));
  expect(received()).toHaveLength(2);
});

it('the deliveries of a registrar are not held up by another registrar, whose endpoint is down or has a backlog', async () => {
  const down = await addNeighbour('http://127.0.0.1:1/');
  const busy = await addNeighbour();
  for (let n = 0; n < 51; n++) await changeEmail(undefined, busy);
  await changeEmail(undefined, down);
  await cron();
  await changeEmail();
  await cron();
  await pass(0);
  const [own] = await notified(world);
  // A message leads to 50 of a registrar's deliveries, and another to the rest.
  expect(received().indexOf(own!)).toBeLessThan(51);
  expect(received(busy.contact)).toEqual(await notified(busy));
});

it('the deliveries of a registrar wait no longer when the webhook gets a new address', async () => {
  endpoint.answerStatus(() => 500);
  await changeEmail();
  await cron();
  await pass(8);
  const refused = endpoint.received.length;
  endpoint.answerStatus(() => 204);
  await updateRegistrar({ db: worker.db, origin: operator }, world.registrar.code, {
    webhookUrl: endpoint.url,
  });
  await cron();
  await pass(0);
  expect(endpoint.received).toHaveLength(refused + 1);
  expect(await deliveries()).toMatchObject([{ outcome: 'HTTP 204', failingSince: null }]);
});

it.each([
  [
    'a delivery is sent again',
    (id: string) =>
      resendDeliveries({ db: worker.db, origin: operatorNow() }, world.registrar.code, { id }),
  ],
  ['a test arrives', () => test()],
])('a webhook that a consumer posts to is left to it while %s', async (_, disturb) => {
  await changeEmail();
  await cron();
  await pass(0);
  const [delivered] = await deliveries();
  let postedBeside: number | undefined;
  endpoint.answerWith(async (response, index) => {
    if (index === 2) {
      await disturb(delivered!.id);
      const before = endpoint.received.length;
      await sendDeliveries(worker.db, world.registrar.id, sender());
      postedBeside = endpoint.received.length - before;
    }
    response.writeHead(index === 1 ? 500 : 204).end();
  });
  await changeEmail();
  await cron();
  await pass(1);
  expect(postedBeside).toBe(0);
  expect(await worker.db.select().from(webhooks)).toMatchObject([
    { failures: 0, failingSince: null, resumesAt: null, queuedUntil: null },
  ]);
});

it('a run of the cron asks the database once, however many deliveries wait', async () => {
  for (let n = 0; n < 30; n++) await changeEmail();
  const { env, counts } = counted(worker.env);
  await queueDeliveries(openDatabase(env.DB), world.queue, world.queue.now);
  expect(counts.d1RoundTrips).toBe(1);
});
