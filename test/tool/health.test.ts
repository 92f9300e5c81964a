import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { noteServer, openRunningServer } from '../../src/tool/local/server.ts';
import { domainAddress } from '../../src/tool/wrangler-config.ts';
import { messageOf } from '../../src/view/message.ts';
import { startTool } from './tool.ts';

const tool = startTool();

test('shows the lists, the size of the database and the last runs', async () => {
  const registry = await tool.newRegistry('ALPHA');
  await registry.done('retained add tartu.ee valga.ee --status reserved');

  const health = await registry.done('health');

  expect(health).toMatchObject({
    status: 'ok',
    alarms: [],
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    database: {
      is_reachable: true,
      maximum_bytes: 10_000_000_000,
    },
    lists: { reserved: { count: 2, is_behind: false }, blocked: { count: 0, is_behind: false } },
    cron_runs: [],
  });
  expect(health.database.bytes).toBeGreaterThan(10_000);
  const { status, stdout } = await registry.run('health');
  expect(status).toBe(0);
  expect(stdout).toMatch(/^status: +ok$/m);
  expect(stdout).toMatch(/^reserved +2 +\S+ +no$/m);
});

test('fails when the last cron run failed, or a list has been behind for two minutes', async () => {
  const registry = await tool.newRegistry();
  registry.edit(`
    insert into cron_runs (cron, started_at, took_ms, failed)
    values ('31 * * * *', '2026-01-01T00:31:00.000Z', 7, '["sweep_lists"]');
    insert into retained_domains (name, punycode, status, created_at)
    values ('tartu.ee', 'tartu.ee', 'blocked', '2026-01-01T00:00:00.000Z');
    update retained_changes set at = '2026-01-01T00:00:00.000Z'`);

  const { status, stdout } = await registry.run('health --json');

  expect(status).toBe(1);
  const { alarms, cron_runs: runs } = JSON.parse(stdout);
  expect(alarms).toEqual([
    {
      alarm: 'failing',
      message: 'The list all has been behind its source since 2026-01-01T00:00:00.000Z.',
    },
    {
      alarm: 'failing',
      message: 'The list blocked has been behind its source since 2026-01-01T00:00:00.000Z.',
    },
    { alarm: 'cron_failed', message: 'The last cron run failed to do sweep_lists.' },
  ]);
  expect(runs).toEqual([
    {
      cron: '31 * * * *',
      started_at: '2026-01-01T00:31:00.000Z',
      took_ms: 7,
      failed: ['sweep_lists'],
    },
  ]);
});

/** A service that answers every request alike; its address. */
async function serviceAnswering(status: number, body: unknown): Promise<string> {
  const server = createServer((_, response) => {
    response.statusCode = status;
    response.end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('an answer that breaks off is no answer', async () => {
  const registry = await tool.newRegistry();
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Length': 100 }).write('{"status": "ok"', () => {
      response.destroy();
    });
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { stdout } = await registry.run(['health', '--json', '--url', url]);
  expect(JSON.parse(stdout).alarms).toMatchObject([
    { message: expect.stringContaining(`${url}/health cannot be reached: `) },
  ]);
});

test('asks the service for its own health, and fails if it is failing', async () => {
  const registry = await tool.newRegistry();
  const healthAt = async (address: string) => {
    const { status, stdout } = await registry.run(['health', '--json', '--url', address]);
    return { exit: status, ...JSON.parse(stdout) };
  };
  const about = { version: '1.0.0', build: 'b1' };

  const well = await serviceAnswering(200, { status: 'ok', ...about });
  expect(await healthAt(well)).toMatchObject({
    exit: 0,
    status: 'ok',
    service: { address: well, status: 'ok', ...about },
  });

  const reason = 'A setting is missing or malformed; the log says which.';
  const ill = await serviceAnswering(503, { status: 'failing', reason, ...about });
  expect(await healthAt(ill)).toMatchObject({
    exit: 1,
    status: 'failing',
    alarms: [{ alarm: 'failing', message: `${ill}/health answers 503: ${reason}` }],
    service: { address: ill, status: 'failing', ...about },
  });

  const other = await serviceAnswering(200, 'It works!');
  expect(await healthAt(other)).toMatchObject({
    exit: 1,
    alarms: [{ message: `${other}/health answers 200: not a health of the registry` }],
  });

  const { exit, alarms } = await healthAt('http://127.0.0.1:1');
  expect(exit).toBe(1);
  expect(alarms).toEqual([
    {
      alarm: 'failing',
      message: expect.stringMatching(/^http:\/\/127\.0\.0\.1:1\/health cannot be reached: ./),
    },
  ]);
});

test('says why none of the addresses of a service can be reached', () => {
  const errors = ['127.0.0.1', '127.0.0.2'].map((address) => new Error(`connect ${address}`));
  const failed = new TypeError('fetch failed', { cause: new AggregateError(errors) });
  expect(messageOf(failed)).toBe('connect 127.0.0.1');
});

test('knows the address of a local server that runs, and of a domain in wrangler.toml', async () => {
  const registry = await tool.newRegistry();
  const address = await serviceAnswering(200, 0);
  const service = 'http://localhost:8787';
  noteServer(registry.directory, { address, token: 'x', service });
  expect(await openRunningServer(registry.directory, undefined)).toMatchObject({ service });

  const toml = (routes: string) =>
    registry.file('wrangler.toml', `name = "registry"\n[env.production]\n${routes}\n`);
  expect(domainAddress(await toml(''), 'production')).toBeUndefined();
  const routes = [
    ['route = "registry.example.ee/*"', 'https://registry.example.ee'],
    [
      'routes = ["*.example.ee/*", { pattern = "registry.example.ee", custom_domain = true }]',
      'https://registry.example.ee',
    ],
    ['routes = ["*.example.ee/*"]', undefined],
  ] as const;
  for (const [line, expected] of routes) {
    expect(domainAddress(await toml(line), 'production')).toBe(expected);
  }
});
