import { expect, it } from 'vitest';
import { webhooks } from '../../../drizzle/schema.ts';
import { updateRegistrar } from '../../../src/party/registrar/operator/account.ts';
import { resendDeliveries } from '../../../src/party/webhook/operator/resend.ts';
import { endOldDeliveries, listFailingWebhooks } from '../../../src/party/webhook/outbox.ts';
import { operator } from '../../support/fixtures.ts';
import { startPushing } from './pushing.ts';

const { worker, endpoint, world, call, test, changeEmail, cron, pass, addNeighbour, deliveries } =
  startPushing();

const list = async (query = '') => (await call('GET', `/deliveries${query}`)).body.data.deliveries;

const gone =
  'The receiver has answered 410 (Gone): nothing is sent to this URL until the webhook is set again.';

it('a registrar reads what its receiver answered, newest first, and of itself alone', async () => {
  await changeEmail(undefined, await addNeighbour());
  endpoint.answerStatus((index) => (index === 0 ? 204 : 503));
  await changeEmail();
  const at = world.queue.now.toISOString();
  await cron();
  await pass(0.5);
  await changeEmail();
  await cron();
  await pass(0);
  const later = world.queue.now.toISOString();
  expect(await list()).toEqual([
    {
      ...{ id: expect.stringMatching(/^msg_[0-9a-f]{32}$/), type: 'contact.updated' },
      ...{ created_at: later, attempts: 1, last_attempt_at: later, status: 503, problem: null },
      next_attempt_at: new Date(world.queue.now.getTime() + 5_000).toISOString(),
    },
    {
      ...{ id: expect.any(String), type: 'contact.updated', created_at: at, attempts: 1 },
      ...{ last_attempt_at: at, status: 204, problem: null, next_attempt_at: null },
    },
  ]);
  expect(await list('?limit=1')).toMatchObject([{ created_at: later }]);
});

it('a registrar reads why nobody answered its test', async () => {
  await worker.db.update(webhooks).set({ url: 'http://127.0.0.1:1/' });
  await call('POST', '/test');
  expect(await list()).toMatchObject([
    { type: 'webhook.test', attempts: 0, status: null, problem: null },
  ]);
  await cron();
  await pass(0);
  expect(await list()).toMatchObject([
    {
      ...{ type: 'webhook.test', attempts: 1, status: null, problem: 'no connection' },
      next_attempt_at: null,
    },
  ]);
});

it('a registrar reads that a delivery was given up, after its last answer', async () => {
  endpoint.answerStatus(() => 500);
  await changeEmail();
  await cron();
  await pass(7.1 * 24);
  await endOldDeliveries(worker.db, world.queue.now);
  expect(await list()).toMatchObject([
    { status: 500, problem: 'given up after a week (HTTP 500)', next_attempt_at: null },
  ]);
});

it('a registrar reads that its deliveries ended with the webhook', async () => {
  endpoint.answerStatus(() => 500);
  await changeEmail();
  await cron();
  await pass(0);
  await call('DELETE', '');
  expect(await list()).toMatchObject([
    { status: null, problem: 'the registrar has no webhook any more', next_attempt_at: null },
  ]);
});

it.each([
  ['0', 2004, 'Parameter value range error [limit]'],
  ['101', 2004, 'Parameter value range error [limit]'],
  ['x', 2005, 'Limit is invalid [limit]'],
])('a list of deliveries with the limit %s is refused', async (limit, code, message) => {
  expect(await call('GET', `/deliveries?limit=${limit}`)).toMatchObject({
    status: 400,
    body: { code, message },
  });
});

/** The pause after the first failure, in seconds. */
async function pauseAfter(headers: Record<string, string>, status = 503): Promise<number> {
  endpoint.answerWith((response) => {
    if (headers.Date) response.sendDate = false;
    response.writeHead(status, headers).end();
  });
  await changeEmail();
  await cron();
  await pass(0);
  const [{ next_attempt_at: next }] = await list();
  return (Date.parse(next) - world.queue.now.getTime()) / 1000;
}

const day = 24 * 60 * 60;
const httpDate = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString();

it.each([
  ['120', 120],
  ['86400', day],
  ['86401', day],
  ['9'.repeat(400), day],
  [httpDate(10 * day), day],
  ['4', 5],
  ['-120', 5],
  ['Infinity', 5],
  ['1e400', 5],
  ['120, 120', 5],
  ['', 5],
  [httpDate(-10 * day), 5],
])('the next attempt after Retry-After: %s comes after %d seconds', async (value, seconds) => {
  expect(await pauseAfter({ 'Retry-After': value })).toBe(seconds);
});

it('the next attempt comes at the date of Retry-After on the receiver’s own clock', async () => {
  const wrong = -300 * day;
  const headers = { Date: httpDate(wrong), 'Retry-After': httpDate(wrong + 3600) };
  expect(await pauseAfter(headers, 429)).toBe(3600);
});

it('the next attempt never comes earlier than without Retry-After', async () => {
  endpoint.answerWith((response) => response.writeHead(503, { 'Retry-After': '1' }).end());
  await changeEmail();
  await cron();
  await pass(1);
  expect(await deliveries()).toMatchObject([{ attempts: 5 }]);
});

it('the next attempt is made though the receiver asked for longer than the queue can wait', async () => {
  endpoint.answerWith((response, index) =>
    response.writeHead(index === 0 ? 429 : 204, { 'Retry-After': '86400' }).end(),
  );
  await changeEmail();
  await cron();
  await pass(23.9);
  await cron();
  await pass(0.3);
  expect(endpoint.received).toHaveLength(1);
  await cron();
  await pass(0);
  expect(await deliveries()).toMatchObject([{ attempts: 2, outcome: 'HTTP 204' }]);
});

async function endReceiver() {
  endpoint.answerStatus((index) => (index === 0 ? 410 : 204));
  await changeEmail();
  await changeEmail();
  await cron();
  await pass(24);
  await cron();
  await pass(24);
}

it('after 410, nothing is sent, and the registrar reads why', async () => {
  await endReceiver();
  expect(endpoint.received).toHaveLength(1);
  expect(world.queue.size).toBe(0);
  expect(await list()).toMatchObject([
    { attempts: 0, status: null, problem: gone, next_attempt_at: null },
    { attempts: 1, status: 410, problem: gone, next_attempt_at: null },
  ]);
});

it('after 410, neither a test nor a resend is taken, and a new secret changes nothing of it', async () => {
  await endReceiver();
  const refused = { status: 400, body: { code: 2304, errors: [{ detail: gone }] } };
  expect(await call('POST', '/test')).toMatchObject(refused);
  await expect(test()).rejects.toMatchObject({ problems: [{ detail: gone }] });
  const since = new Date(0);
  await expect(
    resendDeliveries(worker.operation, world.registrar.code, { since }),
  ).rejects.toMatchObject({ problems: [{ detail: gone }] });
  expect(await call('POST', '/secret')).toMatchObject({ status: 200 });
  await cron();
  await pass(24);
  expect(endpoint.received).toHaveLength(1);
});

it('after 410, a new secret does not hide that the webhook fails', async () => {
  await endReceiver();
  const failing = await listFailingWebhooks(worker.db, world.queue.now);
  expect(failing).toHaveLength(1);
  await call('POST', '/secret');
  expect(await listFailingWebhooks(worker.db, world.queue.now)).toEqual(failing);
  const { body } = await call('GET', '');
  expect(body.data.webhook).toMatchObject({ failing_since: failing[0]!.since });
});

it.each<[string, () => Promise<unknown>]>([
  ['the same address', () => call('PUT', '', { webhook: { url: endpoint.url } })],
  ['another address', () => call('PUT', '', { webhook: { url: `${endpoint.url}/2` } })],
  [
    'the operator’s command',
    () =>
      updateRegistrar({ db: worker.db, origin: operator }, world.registrar.code, {
        webhookUrl: endpoint.url,
      }),
  ],
])('after 410, %s makes the deliveries go on in order', async (_, set) => {
  await endReceiver();
  await set();
  await cron();
  await pass(0);
  const sent = endpoint.received.map(({ body }) => JSON.parse(body).data.id);
  expect(sent).toEqual([sent[0], sent[0], sent[0] + 1]);
});

it('after 410, the same address keeps the secret', async () => {
  await endReceiver();
  const set = await call('PUT', '', { webhook: { url: endpoint.url } });
  expect(set.body.data).toEqual({ webhook: { url: endpoint.url } });
  expect(await worker.db.select().from(webhooks)).toMatchObject([
    { secret: world.secret, replacedSecrets: [], goneAt: null, failingSince: null },
  ]);
});
