import { expect, test, vi } from 'vitest';
import { webhooks } from '../../drizzle/schema.ts';
import { generateWebhookSecret } from '../../src/registrar/webhook-secret.ts';
import { listDeliveries } from '../../src/webhook/outbox.ts';
import { registrantClient } from '../support/client.ts';
import { addContact, addPerson, addRegistrar } from '../support/fixtures.ts';
import { shareWorker } from '../support/worker.ts';
import { startEndpoint, verified } from './endpoint.ts';

const worker = shareWorker();
const endpoint = startEndpoint();

test('a registrant’s change is pushed through the runtime’s queue, again after a failure', async () => {
  const registrar = await addRegistrar(worker.env);
  const person = await addPerson(worker.env);
  const identity = { ident: person.code, identCountryCode: person.countryCode };
  const contact = await addContact(worker.env, registrar, identity);
  const secret = generateWebhookSecret();
  await worker.db.insert(webhooks).values({
    registrarId: registrar.id,
    url: endpoint.url,
    secret,
    createdAt: '2026-01-02T03:04:05.678Z',
  });
  endpoint.answerStatus((index) => (index === 0 ? 500 : 204));
  await registrantClient(worker).update(person, contact.uuid, { email: 'new@example.ee' });
  await endpoint.receives(2);
  for (const request of endpoint.received) {
    expect(verified(secret, request)).toMatchObject({
      type: 'contact.updated',
      data: { attached_obj_id: contact.code, fields: ['email'] },
    });
  }
  const list = () => listDeliveries(worker.db, { registrar: registrar.code, limit: 10 });
  await vi.waitFor(async () =>
    expect(await list()).toMatchObject([{ attempts: 2, deliveredAt: expect.any(String) }]),
  );
});
