import { expect, test } from 'vitest';
import { startEndpoint, verified } from '../party/webhook/endpoint.ts';
import { startTool } from './tool.ts';

const tool = startTool();
const endpoint = startEndpoint();

test('sets a webhook, shows its secret once, tests it, and says what was delivered when', async () => {
  const registry = await tool.newRegistry('ALPHA');
  const set = ['registrar', 'update', 'ALPHA', '--webhook', endpoint.url];
  expect(await registry.done([...set, '--dry-run'])).not.toHaveProperty('webhook_secret');
  const { webhook_secret: secret, registrar } = await registry.done(set);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(registrar.webhook_url).toBe(endpoint.url);

  const test = ['registrar', 'webhook', 'test', 'ALPHA'];
  expect(await registry.done([...test, '--dry-run'])).toEqual({
    url: endpoint.url,
    changed: false,
  });
  expect(endpoint.received).toEqual([]);
  // A process of its own opens the database for this command alone.
  const { stdout: printed } = await registry.spawn([...test, '--json']);
  const tested = JSON.parse(printed);
  expect(tested).toEqual({
    url: endpoint.url,
    id: endpoint.received[0]!.headers['webhook-id'],
    outcome: 'HTTP 204',
    delivered: true,
    changed: false,
  });
  expect(verified(secret, endpoint.received[0]!)).toEqual({
    type: 'webhook.test',
    timestamp: expect.any(String),
    data: {},
  });

  endpoint.answerStatus(() => 500);
  expect(await registry.run(test)).toMatchObject({
    status: 1,
    stdout: expect.stringMatching(/^not delivered \(it waits for another delivery, or until 2/),
  });
  registry.edit(
    `update webhook_deliveries set waits_since = created_at, attempted_at = '2026-11-21T12:00:00.000Z'`,
  );
  expect(await registry.run(test)).toEqual({
    status: 1,
    stdout: expect.stringMatching(/^not delivered \(HTTP 500\): msg_[0-9a-f]{32}\n$/),
    stderr: '',
  });
  const { deliveries } = await registry.done('registrar webhook list ALPHA');
  expect(deliveries).toMatchObject([
    { outcome: 'HTTP 500', delivered_at: null, failed_at: expect.any(String), attempts: 1 },
    {
      id: tested.id,
      registrar: 'ALPHA',
      event: 'webhook.test',
      subject: null,
      outcome: 'HTTP 204',
      delivered_at: expect.any(String),
      failed_at: null,
    },
  ]);
  const { stdout } = await registry.run('registrar webhook list');
  expect(stdout).toMatch(/ALPHA +\S+ +webhook\.test +- +given up +HTTP 500 /);
  expect(stdout).toMatch(/ALPHA +\S+ +webhook\.test +- +delivered +HTTP 204 /);
}, 120_000);

test('replaces the secret of a webhook, records neither, and removes the webhook', async () => {
  const registry = await tool.newRegistry('ALPHA');
  const set = ['registrar', 'update', 'ALPHA', '--webhook', endpoint.url];
  expect((await registry.run(set.with(-1, 'https://10.0.0.1/'))).stderr).toBe(
    'refused: the webhook must name its host, not give an IP address [webhook]\n',
  );
  const { webhook_secret: first } = await registry.done(set);
  const { webhook_secret: second } = await registry.done(set);
  expect(second).not.toBe(first);
  await registry.done('registrar webhook test ALPHA');
  expect(verified(second, endpoint.received[0]!).type).toBe('webhook.test');

  const remove = ['registrar', 'update', 'ALPHA', '--no-webhook'];
  expect(await registry.done(remove)).toMatchObject({
    registrar: { webhook_url: null },
    changed: true,
  });
  expect(await registry.done(remove)).toMatchObject({ changed: false });
  expect((await registry.run('registrar webhook test ALPHA')).stderr).toBe(
    'refused: registrar ALPHA has no webhook [registrar]\n',
  );
  const rows = await registry.rows();
  expect(rows.webhooks).toEqual([]);
  const told = JSON.stringify(rows.history);
  expect(told).not.toContain(first);
  expect(told).not.toContain(second);
  const { history } = await registry.done('history registrar ALPHA');
  expect(
    history
      .toReversed()
      .map(({ changes }: { changes: object }) => changes)
      .slice(1),
  ).toEqual([
    { webhook_url: { from: null, to: endpoint.url }, webhook_secret: { redacted: true } },
    { webhook_secret: { redacted: true } },
    { webhook_url: { from: endpoint.url, to: null } },
  ]);
}, 120_000);

test('sends again what was given up, once the operator asks, and shows since when a webhook fails', async () => {
  const registry = await tool.newRegistry('ALPHA');
  await registry.done(['registrar', 'update', 'ALPHA', '--webhook', endpoint.url]);
  await registry.addContacts('ALPHA:1');
  await registry.done('contact update ALPHA:1 --city Tartu');
  registry.edit(`
    update webhook_deliveries set failed_at = '2026-11-21T12:00:00.000Z', attempts = 3, outcome = 'HTTP 500';
    update webhooks set failures = 3, failing_since = '2026-11-20T12:00:00.000Z'`);
  expect((await registry.done('registrar show ALPHA')).registrar).toMatchObject({
    webhook_failing_since: '2026-11-20T12:00:00.000Z',
  });

  const resend = ['registrar', 'webhook', 'resend', 'ALPHA'];
  const usage = 'give either an id or --since';
  expect((await registry.run(resend)).stderr).toContain(usage);
  expect((await registry.run([...resend, 'msg_1', '--since', '2026-01-01'])).stderr).toContain(
    usage,
  );
  expect(await registry.run([...resend, '--since', '2026-01-01', '--dry-run'])).toMatchObject({
    stdout: 'would send 1 delivery to ALPHA again, within the hour\n',
  });
  expect(await registry.done([...resend, '--since', '2026-01-01'])).toEqual({
    registrar: 'ALPHA',
    deliveries: 1,
    changed: true,
    request_id: expect.any(String),
  });
  expect(await registry.run([...resend, '--since', '2026-01-01'])).toMatchObject({
    status: 0,
    stdout: 'nothing to send again: no delivery to ALPHA since then was delivered or given up\n',
  });
  registry.edit(`update webhooks set resumes_at = '2026-11-21T13:00:00.000Z'`);
  const { deliveries } = await registry.done('registrar webhook list ALPHA');
  expect(deliveries).toMatchObject([
    {
      state: 'waiting',
      failing_since: '2026-11-20T12:00:00.000Z',
      next_attempt_at: '2026-11-21T13:00:00.000Z',
    },
  ]);
  const { history } = await registry.done('history registrar ALPHA');
  expect(history[0].changes).toEqual({
    webhook_resent: { from: null, to: 'since 2026-01-01T00:00:00.000Z' },
  });
}, 120_000);

test('names what was given up until the operator drops it, and sends nothing again', async () => {
  const registry = await tool.newRegistry('ALPHA');
  await registry.done(['registrar', 'update', 'ALPHA', '--webhook', endpoint.url]);
  await registry.addContacts('ALPHA:1');
  await registry.done('contact update ALPHA:1 --city Tartu');
  registry.edit(`update webhook_deliveries set failed_at = '2026-11-21T12:00:00.000Z'`);
  const { alarms } = await registry.done('health');
  const [{ created_at: since }] = (await registry.done('registrar webhook list ALPHA')).deliveries;
  expect(alarms).toEqual([
    {
      alarm: 'deliveries_given_up',
      message: expect.stringMatching(
        `\\(npm run registry -- registrar webhook resend ALPHA --since ${since} .*, or npm run registry -- registrar webhook drop ALPHA .*\\)\\.$`,
      ),
    },
  ]);
  const drop = 'registrar webhook drop ALPHA';
  expect(await registry.run(`${drop} --dry-run`)).toMatchObject({
    stdout: 'would drop 1 delivery to ALPHA that had been given up\n',
  });
  expect(await registry.done(drop)).toMatchObject({ deliveries: 1, changed: true });
  expect(await registry.run(drop)).toMatchObject({
    stdout: 'nothing to drop: no delivery to ALPHA was given up\n',
  });
  expect((await registry.done('health')).alarms).toEqual([]);
  expect((await registry.done('registrar webhook list ALPHA')).deliveries).toMatchObject([
    { state: 'dropped' },
  ]);
}, 120_000);
