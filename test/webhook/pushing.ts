import { afterEach, beforeEach, type MockInstance, vi } from 'vitest';
import { webhookDeliveries, webhooks } from '../../drizzle/schema.ts';
import { updateContactOfPerson } from '../../src/contact/update.ts';
import { generateWebhookSecret } from '../../src/registrar/webhook-secret.ts';
import { consumeDeliveries } from '../../src/webhook/consume.ts';
import { listDeliveries, queueDeliveries } from '../../src/webhook/outbox.ts';
import { addContact, addPerson, addRegistrar } from '../fixtures.ts';
import { startWorker } from '../worker.ts';
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
  // The outbox is the registry's: a runtime of its own, without what other tests leave in it.
  const worker = startWorker();
  const endpoint = startEndpoint();
  const world = {} as World;
  beforeEach(async () => {
    await worker.db.delete(webhookDeliveries);
    const registrar = await addRegistrar(worker.env);
    const person = await addPerson(worker.env);
    const identity = { ident: person.code, identCountryCode: person.countryCode };
    const contact = await addContact(worker.env, registrar, identity);
    const queue = new SteppedQueue(new Date());
    const secret = generateWebhookSecret();
    const createdAt = queue.now.toISOString();
    const webhook = { registrarId: registrar.id, url: endpoint.url, secret, createdAt };
    await worker.db.insert(webhooks).values(webhook);
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => {});
    Object.assign(world, { registrar, person, contact, queue, secret, warned });
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  const sender = () => ({ fetch, now: () => world.queue.now, isLocal: true });
  return {
    worker,
    endpoint,
    world,
    sender,
    /** The person changes the contact, which puts a delivery into the outbox. */
    changeEmail: (email = `${crypto.randomUUID()}@example.ee`) =>
      updateContactOfPerson(
        worker.db,
        world.person,
        world.contact.uuid,
        { email },
        { at: world.queue.now, requestId: crypto.randomUUID() },
      ),
    /** Does the work of the scheduled run. */
    cron: () => queueDeliveries(worker.db, world.queue, world.queue.now),
    pass: (hours: number) =>
      world.queue.pass(hours, (batch) => consumeDeliveries(batch, worker.db, sender())),
    deliveries: () => listDeliveries(worker.db, { registrar: world.registrar.code, limit: 200 }),
  };
}
