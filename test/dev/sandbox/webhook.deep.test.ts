import { eq } from 'drizzle-orm';
import { beforeAll, expect, test, vi } from 'vitest';
import { registrars, webhooks } from '../../../drizzle/schema.ts';
import { loadDemoData } from '../../../src/dev/demo/load.ts';
import { generateWebhookSecret } from '../../../src/party/registrar/webhook.ts';
import { listDeliveries } from '../../../src/party/webhook/operator/list.ts';
import { resendDeliveries } from '../../../src/party/webhook/operator/resend.ts';
import { startEndpoint } from '../../party/webhook/endpoint.ts';
import { newContact, operator } from '../../support/fixtures.ts';
import { startSandbox } from '../../support/worker.ts';
import { sandboxClients } from './clients.ts';

const worker = startSandbox();
const endpoint = startEndpoint();
const { fetch } = worker;
const { asRegistrar, asRegistrant, alpha, currentTime, loginOfJaan } = sandboxClients(worker);

async function advance(duration: string): Promise<void> {
  const headers = { 'Content-Type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify({ advance: duration }) };
  expect((await fetch('/sandbox/clock', init)).status).toBe(200);
}

beforeAll(async () => {
  await loadDemoData(worker.env);
});

test('the sandbox retries a webhook that failed, gives up after a week, and resends on request', async () => {
  const { id: registrarId } = (
    await worker.db.select().from(registrars).where(eq(registrars.code, 'ALPHA'))
  )[0]!;
  const secret = generateWebhookSecret();
  const createdAt = (await currentTime()).toISOString();
  await worker.db.insert(webhooks).values({ registrarId, url: endpoint.url, secret, createdAt });
  // The cron deletes contacts of the demo data, which is pushed as well.
  const newest = async () =>
    (await listDeliveries(worker.db, { limit: 50 })).find(
      ({ event }) => event === 'contact.updated',
    );
  await asRegistrar.create(alpha, newContact({ id: 'push' }));
  const changeEmail = async () => {
    const jaan = await loginOfJaan();
    const { contacts } = (await asRegistrant.list(jaan)).body;
    const contact = contacts.find(({ code }: { code: string }) => code === 'ALPHA:PUSH');
    const email = `${crypto.randomUUID()}@example.ee`;
    expect((await asRegistrant.update(jaan, contact.id, { email })).status).toBe(200);
    await vi.waitFor(async () => expect(await newest()).toMatchObject({ attempts: 1 }), 5_000);
  };

  endpoint.answerStatus(() => 503);
  await changeEmail();
  await advance('PT1H');
  expect(await newest()).toMatchObject({ attempts: 5, outcome: 'HTTP 503', deliveredAt: null });
  endpoint.answerStatus(() => 204);
  await advance('PT1H');
  expect(await newest()).toMatchObject({ attempts: 6, deliveredAt: expect.any(String) });

  endpoint.answerStatus(() => 503);
  await changeEmail();
  await advance('P8D');
  expect(await newest()).toMatchObject({ deliveredAt: null, failedAt: expect.any(String) });
  endpoint.answerStatus(() => 204);
  const { id } = (await newest())!;
  const request = { at: await currentTime(), requestId: crypto.randomUUID() };
  await resendDeliveries({ db: worker.db, origin: { ...operator, request } }, 'ALPHA', { id });
  await advance('PT1M');
  expect(await newest()).toMatchObject({ id, deliveredAt: expect.any(String) });
});
