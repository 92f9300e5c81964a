import { expect, test, vi } from 'vitest';
import { listDeliveries } from '../../../src/party/webhook/operator/list.ts';
import { registrantClient } from '../../support/client.ts';
import { shareWorker } from '../../support/worker.ts';
import { startEndpoint, verified } from './endpoint.ts';
import { addPushed } from './pushing.ts';

const worker = shareWorker();
const endpoint = startEndpoint();

test('a registrant’s change is pushed through the runtime’s queue, again after a failure', async () => {
  const { registrar, person, contact, secret } = await addPushed(worker, endpoint.url);
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
