import { afterEach, beforeEach, type MockInstance, vi } from 'vitest';
import { webhookDeliveries, webhooks } from '../../../drizzle/schema.ts';
import type { Env } from '../../../src/base/env.ts';
import { setClockAhead } from '../../../src/base/time/clock.ts';
import { updateContactOfPerson } from '../../../src/contact/update.ts';
import { getWebhook } from '../../../src/party/registrar/operator/webhook.ts';
import { generateWebhookSecret } from '../../../src/party/registrar/webhook.ts';
import { consumeDeliveries } from '../../../src/party/webhook/consume.ts';
import type { WebhookSender } from '../../../src/party/webhook/deliver.ts';
import { listDeliveries } from '../../../src/party/webhook/operator/list.ts';
import { sendTest } from '../../../src/party/webhook/operator/send-test.ts';
import { queueDeliveries, queueLostTests } from '../../../src/party/webhook/outbox.ts';
import { app } from '../../../src/worker/http/app.ts';
import { addContact, addPerson, addRegistrar, operator, send } from '../../support/fixtures.ts';
import { shareEmptyWorker, type TestWorker } from '../../support/worker.ts';
import { startEndpoint } from './endpoint.ts';
import { SteppedQueue } from './stepped-queue.ts';

/** A registrar with a webhook, and a person with a contact of the registrar. */
export async function addPushed({ env, db }: Pick<TestWorker, 'env' | 'db'>, url: string) {
  const registrar = await addRegistrar(env);
  const person = await addPerson(env);
  const identity = { ident: person.code, identCountryCode: person.countryCode };
  const contact = await addContact(env, registrar, identity);
  const secret = generateWebhookSecret();
  const createdAt = new Date().toISOString();
  await db.insert(webhooks).values({ registrarId: registrar.id, url, secret, createdAt });
  return { registrar, person, contact, secret };
}

type Pushed = Awaited<ReturnType<typeof addPushed>>;

/** For each test, these and a queue with a clock. */
interface World extends Pushed {
  queue: SteppedQueue;
  /** Lines of the log that warn. */
  warned: MockInstance;
}

export function startPushing() {
  // The outbox is the registry's: without what other tests leave in it.
  const worker = shareEmptyWorker();
  const endpoint = startEndpoint();
  const world = {} as World;
  beforeEach(async () => {
    await worker.db.delete(webhookDeliveries);
    await worker.db.delete(webhooks);
    const queue = new SteppedQueue(new Date());
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => {});
    Object.assign(world, { ...(await addPushed(worker, endpoint.url)), queue, warned });
  });
  afterEach(() => {
    vi.restoreAllMocks();
    setClockAhead(0);
  });
  const sender = () => ({ fetch, now: () => world.queue.now, isLocal: true });
  const requestNow = () => ({ at: world.queue.now, requestId: crypto.randomUUID() });
  return {
    worker,
    endpoint,
    world,
    sender,
    /** Sends a test to the webhook. */
    async test(db = worker.db, by: WebhookSender = sender()) {
      const webhook = await getWebhook(db, world.registrar.code);
      return sendTest(db, webhook, by);
    },
    /** A call of the registrar to the application with this queue, at its time. */
    async call(method: string, path: string, body?: unknown) {
      const init = send(method, world.registrar, body);
      Object.assign(init.headers, { 'CF-Connecting-IP': '127.0.0.1' });
      const env = { ...worker.env, WEBHOOKS: world.queue } as unknown as Env;
      const context = { waitUntil: () => {} } as unknown as ExecutionContext;
      const now = Date.now();
      setClockAhead(world.queue.now.getTime() - now);
      // A millisecond later, the queue's time would not have come for a test that is due at once.
      const clock = vi.spyOn(Date, 'now').mockReturnValue(now);
      const answer = await app.request(`/repp/v1/registrar/webhook${path}`, init, env, context);
      clock.mockRestore();
      // biome-ignore lint/suspicious/noExplicitAny: the answers of every call
      return { status: answer.status, body: (await answer.json()) as any };
    },
    /** The operator, at the time of the queue. */
    operatorNow: () => ({ ...operator, request: requestNow() }),
    /** The person changes the contact, which puts a delivery into the outbox. */
    changeEmail: (
      email = `${crypto.randomUUID()}@example.ee`,
      { person, contact }: Pushed = world,
    ) =>
      updateContactOfPerson({ db: worker.db, person, request: requestNow() }, contact.uuid, () => ({
        email,
      })),
    /** The same as a request to the application with this queue: its answer, and the work that it leaves for later. */
    async request(queue: unknown, { person, contact }: Pushed = world) {
      const init = send('PATCH', person, { email: `${crypto.randomUUID()}@example.ee` });
      Object.assign(init.headers, { 'CF-Connecting-IP': '127.0.0.1' });
      const later: Promise<unknown>[] = [];
      const { status } = await app.request(
        `/api/v1/registrant/contacts/${contact.uuid}`,
        init,
        { ...worker.env, WEBHOOKS: queue } as Env,
        { waitUntil: (work: Promise<unknown>) => later.push(work) } as unknown as ExecutionContext,
      );
      return { status, later };
    },
    /** Does the work of the scheduled run. */
    async cron() {
      await queueDeliveries(worker.db, world.queue, world.queue.now);
      await queueLostTests(worker.db, world.queue, world.queue.now);
    },
    pass: (hours: number) =>
      world.queue.pass(hours, (batch) =>
        consumeDeliveries(batch, worker.db, world.queue, sender()),
      ),
    /** A registrar with a webhook of its own, beside the one of the test. */
    addNeighbour: (url = endpoint.url) => addPushed(worker, url),
    deliveries: () => listDeliveries(worker.db, { registrar: world.registrar.code, limit: 200 }),
  };
}
