import { expect, it } from 'vitest';
import { webhooks } from '../../../drizzle/schema.ts';
import { listHistory } from '../../../src/change/history/operator/search.ts';
import type { Webhook } from '../../../src/party/registrar/webhook.ts';
import { verified } from './endpoint.ts';
import { startPushing } from './pushing.ts';

const { worker, endpoint, world, call, changeEmail, cron, pass, deliveries } = startPushing();

const done = { code: 1000, message: 'Command completed successfully' };

it('a registrar sets its webhook, and deliveries are signed with the secret that it gets', async () => {
  await call('DELETE', '');
  const set = await call('PUT', '', { webhook: { url: endpoint.url } });
  expect(set.body).toEqual({
    ...done,
    data: { webhook: { url: endpoint.url, secret: expect.stringMatching(/^whsec_.{44}$/) } },
  });
  await changeEmail();
  await cron();
  await pass(0);
  const { secret } = set.body.data.webhook;
  expect(verified(secret, endpoint.received[0]!)).toMatchObject({ type: 'contact.updated' });
});

it('the same address again changes nothing and shows no secret', async () => {
  const before = await worker.db.select().from(webhooks);
  const again = await call('PUT', '', { webhook: { url: endpoint.url } });
  expect(again.body).toEqual({ ...done, data: { webhook: { url: endpoint.url } } });
  expect(await worker.db.select().from(webhooks)).toEqual(before);
});

it.each([
  ['a new secret', () => call('POST', '/secret')],
  ['another address', () => call('PUT', '', { webhook: { url: `${endpoint.url}/2` } })],
])('after %s, deliveries carry both signatures for 24 hours', async (_, change) => {
  const { secret } = (await change()).body.data.webhook;
  const receive = async () => {
    await changeEmail();
    await cron();
    await pass(0);
    return endpoint.received.at(-1)!;
  };
  const first = await receive();
  expect(verified(secret, first)).toEqual(verified(world.secret, first));
  await pass(24.01);
  const signatures = (await receive()).headers['webhook-signature'] as string;
  expect(signatures.split(' ')).toHaveLength(1);
});

it('a secret whose answer was lost leaves the one in use signing', async () => {
  await call('POST', '/secret');
  const { secret } = (await call('POST', '/secret')).body.data.webhook;
  await changeEmail();
  await cron();
  await pass(0);
  const [received] = endpoint.received;
  expect(verified(secret, received!)).toEqual(verified(world.secret, received!));
});

it('a test is queued and sent once, and what waited after a failure follows', async () => {
  endpoint.answerStatus((index) => (index === 0 ? 500 : 204));
  await changeEmail();
  await cron();
  await pass(0);
  const test = await call('POST', '/test');
  expect(test.body).toEqual({ ...done, data: { delivery: { id: expect.any(String) } } });
  await pass(0.01);
  const ids = endpoint.received.map(({ headers }) => headers['webhook-id']);
  const [waiting] = ids;
  expect(ids).toEqual([waiting, test.body.data.delivery.id, waiting]);
  expect(verified(world.secret, endpoint.received[1]!)).toMatchObject({ type: 'webhook.test' });
});

it('a test whose webhook has ended before it is sent goes nowhere', async () => {
  await call('POST', '/test');
  await call('DELETE', '');
  await pass(1);
  expect(endpoint.received).toEqual([]);
  expect(await deliveries()).toMatchObject([
    { outcome: 'the registrar has no webhook any more', deliveredAt: null },
  ]);
});

it('the webhook ends, and ends again', async () => {
  await changeEmail();
  for (const _ of [1, 2]) {
    expect(await call('DELETE', '')).toEqual({ status: 200, body: { ...done, data: {} } });
  }
  expect(await worker.db.select().from(webhooks)).toEqual([]);
  expect(await deliveries()).toMatchObject([
    { outcome: 'the registrar has no webhook any more', deliveredAt: null },
  ]);
});

it.each(['/secret', '/test'])('without a webhook, POST %s finds none', async (path) => {
  await call('DELETE', '');
  expect(await call('POST', path)).toMatchObject({ status: 404, body: { code: 2303 } });
});

it.each([
  ['http://hooks.alpha.ee/', 'the webhook must begin with https:// [webhook.url]'],
  ['https://192.0.2.1/', 'the webhook must name its host, not give an IP address [webhook.url]'],
  [
    'https://a:b@hooks.alpha.ee/',
    'the webhook must not contain a user name or password [webhook.url]',
  ],
  [
    'hooks',
    'the webhook must be a URL of at most 2000 characters, also once encoded [webhook.url]',
  ],
])('the address %s is refused as by the operator’s command', async (url, message) => {
  const refused = await call('PUT', '', { webhook: { url } });
  const errors = [{ code: 2005, message, field: 'webhook.url' }];
  expect(refused).toEqual({ status: 400, body: { code: 2005, message, data: {}, errors } });
});

it.each([
  [{ url: 5 }, 'webhook.url'],
  [{ url: '' }, 'webhook.url'],
  [{ url: null }, 'webhook.url'],
  [{}, 'webhook.url'],
  ['https://hooks.alpha.ee/', 'webhook'],
])('the refusal of %j names the field of the body', async (webhook, field) => {
  expect(await call('PUT', '', { webhook })).toMatchObject({
    status: 400,
    body: { message: expect.stringMatching(`\\[${field}\\]$`), errors: [{ field }] },
  });
});

it('a registrar reads its webhook: since when it fails, and until when a replaced secret signs', async () => {
  const read = () => call('GET', '');
  const webhook = { url: endpoint.url, failing_since: null, previous_secret_valid_until: null };
  expect(await read()).toEqual({ status: 200, body: { ...done, data: { webhook } } });
  await call('POST', '/secret');
  endpoint.answerStatus(() => 500);
  await changeEmail();
  await cron();
  const failing_since = world.queue.now.toISOString();
  await pass(0);
  const { previous_secret_valid_until: until, ...others } = (await read()).body.data.webhook;
  expect(others).toEqual({ url: endpoint.url, failing_since });
  expect(Math.round((Date.parse(until) - Date.now()) / 3_600_000)).toBe(24);
  await call('DELETE', '');
  expect((await read()).body.data).toEqual({ webhook: null });
});

it('four replaced secrets sign beside the newest, and the fifth new one within a day is refused', async () => {
  const secrets = [world.secret];
  for (let n = 0; n < 4; n++) {
    secrets.push((await call('POST', '/secret')).body.data.webhook.secret);
  }
  const [stored] = await worker.db.select().from(webhooks);
  const { until } = stored!.replacedSecrets[0]!;
  const detail = `Four replaced secrets sign beside the newest, so there can be no other before ${until}. To end all at once, delete the webhook and set it again.`;
  const refused = { status: 400, body: { code: 2304, errors: [{ detail }] } };
  expect(await call('POST', '/secret')).toMatchObject(refused);
  await changeEmail();
  await cron();
  await pass(0);
  for (const secret of secrets) {
    expect(verified(secret, endpoint.received[0]!)).toMatchObject({ type: 'contact.updated' });
  }
});

it('another address while four replaced secrets sign keeps the newest, and says so', async () => {
  for (let n = 0; n < 4; n++) await call('POST', '/secret');
  const [before] = await worker.db.select().from(webhooks);
  for (const path of ['/typo', '/2']) {
    const url = endpoint.url + path;
    const note = `The secret is the same as before. Four replaced secrets sign beside the newest, so there can be no other before ${before!.replacedSecrets[0]!.until}.`;
    const changed = await call('PUT', '', { webhook: { url } });
    expect(changed).toEqual({ status: 200, body: { ...done, data: { webhook: { url, note } } } });
    const [{ secret, replacedSecrets }] = (await worker.db.select().from(webhooks)) as [Webhook];
    expect({ secret, replacedSecrets }).toEqual({
      secret: before!.secret,
      replacedSecrets: before!.replacedSecrets,
    });
  }
});

it('two changes at once leave one webhook, with the secret that the later answer shows', async () => {
  const urls = ['/a', '/b', '/c'].map((path) => endpoint.url + path);
  const answers = await Promise.all(urls.map((url) => call('PUT', '', { webhook: { url } })));
  const [stored] = await worker.db.select().from(webhooks);
  const shown = answers.map(({ body }) => body.data.webhook);
  expect(shown).toContainEqual({ url: stored!.url, secret: stored!.secret });
  expect(stored!.replacedSecrets).toHaveLength(3);
});

it('the history says which user changed the webhook, and no secret', async () => {
  const { secret } = (await call('POST', '/secret')).body.data.webhook;
  const ofRegistrar = { subject: 'registrar', key: world.registrar.code } as const;
  const entries = await listHistory(worker.db, ofRegistrar, { limit: 10 });
  const entry = entries.at(-1)!;
  expect(entry).toMatchObject({ actorType: 'api_user', action: 'update' });
  expect(JSON.stringify(entry)).not.toContain(secret);
});
