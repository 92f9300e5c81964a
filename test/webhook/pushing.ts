import { afterEach, beforeEach, type MockInstance, vi } from 'vitest';
import { webhookDeliveries, webhooks } from '../../drizzle/schema.ts';
import { updateContactOfPerson } from '../../src/contact/update.ts';
import { generateWebhookSecret } from '../../src/registrar/webhook-secret.ts';
import { consumeDeliveries } from '../../src/webhook/consume.ts';
import { listDeliveries, queueDeliveries } from '../../src/webhook/outbox.ts';
import { addContact, addPerson, addRegistrar, operator } from '../support/fixtures.ts';
import { shareEmptyWorker } from '../support/worker.ts';
import { startEndpoint } from './endpoint.ts';
import { SteppedQueue } from './stepped-queue.ts';

/** For each test, a registrar with a webhook, a person with a contact of the registrar, and a queue with a clock. */
interface World {
  registrar: Awaited<ReturnType<typeof addRegistrar>>;
  person: Awaited<ReturnType<typeof addPerson>>;
  contact: Awaited<ReturnType<typeof addContact>>;
  queue: SteppedQueue;
  secret: string;
  /** Lines of the log that warn. */
  warned: MockInstance;
}

export function startPushing() {
  // The outbox is the registry's: without what other tests leave in it.
  const worker = shareEmptyWorker();
  const endpoint = startEndpoint();
  const world = {} as World;
  async function addPushed(url: string, now: Date) {
    const registrar = await addRegistrar(worker.env);
    const person = await addPerson(worker.env);
    const identity = { ident: person.code, identCountryCode: person.countryCode };
    const contact = await addContact(worker.env, registrar, identity);
    const secret = generateWebhookSecret();
    const webhook = { registrarId: registrar.id, url, secret, createdAt: now.toISOString() };
    await worker.db.insert(webhooks).values(webhook);
    return { registrar, person, contact, secret };
  }
  beforeEach(async () => {
    await worker.db.delete(webhookDeliveries);
    await worker.db.delete(webhooks);
    const queue = new SteppedQueue(new Date());
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => {});
    Object.assign(world, { ...(await addPushed(endpoint.url, queue.now)), queue, warned });
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  const sender = () => ({ fetch, now: () => world.queue.now, isLocal: true });
  const request = () => ({ at: world.queue.now, requestId: crypto.randomUUID() });
  return {
    worker,
    endpoint,
    world,
    sender,
    /** The operator, at the time of the queue. */
    operatorNow: () => ({ ...operator, request: request() }),
    /** The person changes the contact, which puts a delivery into the outbox. */
    changeEmail: (
      email = `${crypto.randomUUID()}@example.ee`,
      { person, contact }: Pick<World, 'person' | 'contact'> = world,
    ) => updateContactOfPerson(worker.db, person, contact.uuid, () => ({ email }), request()),
    /** Does the work of the scheduled run. */
    cron: () => queueDeliveries(worker.db, world.queue, world.queue.now),
    pass: (hours: number) =>
      world.queue.pass(hours, (batch) =>
        consumeDeliveries(batch, worker.db, world.queue, sender()),
      ),
    /** A registrar with a webhook of its own, beside the one of the test. */
    addNeighbour: (url = endpoint.url) => addPushed(url, world.queue.now),
    deliveries: () => listDeliveries(worker.db, { registrar: world.registrar.code, limit: 200 }),
  };
}
