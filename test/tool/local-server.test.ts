import { once } from 'node:events';
import { cpSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { findClockAhead } from '../../src/tool/local/http-bindings.ts';
import { noteServer, openRunningServer } from '../../src/tool/local/server.ts';
import { startTool } from './tool.ts';

const tool = startTool();
const directory = mkdtempSync(join(tmpdir(), 'local-server-'));

/** A server on this machine, until the test ends. */
async function listen(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const end = () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(end);
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}`, token: 't', end };
}

/** A local server that fails whatever it is asked to do. */
const failing: RequestListener = (request, response) => {
  if (request.url === '/.registry/') response.end('0');
  else response.writeHead(500).end('asked through the server');
};

afterAll(() => rmSync(directory, { recursive: true }));

test.each([
  ['is empty', ''],
  ['is truncated', '{"address":"http://127.0.0.1:1","to'],
  ['is no note', 'null'],
  ['lacks the token', '{"address":"http://127.0.0.1:1"}'],
  ['leads nowhere', '{"address":"nowhere","token":"t"}'],
  ['is of a server that has ended', '{"address":"http://127.0.0.1:1","token":"t"}'],
])('takes a note that %s for none', async (_, note) => {
  writeFileSync(join(directory, 'server.json'), note);
  expect(await openRunningServer(directory, undefined)).toBeUndefined();
});

test.each<[string, RequestListener]>([
  ['a page', (_, response) => response.end('<!doctype html>')],
  ['an object', (_, response) => response.end('{}')],
  ['a refusal', (_, response) => response.writeHead(401).end('0')],
  ['nothing in time', () => {}],
])('takes what answers with %s for no server', async (_, answer) => {
  const { address, token } = await listen(answer);
  expect(await findClockAhead(address, token, 200)).toBeUndefined();
});

test('the local server is noted for its owner alone', async () => {
  const { address, token } = await listen(failing);
  noteServer(directory, { address, token });
  expect(statSync(join(directory, 'server.json')).mode & 0o777).toBe(0o600);
  expect(await openRunningServer(directory, undefined)).toBeDefined();
});

test('lends its settings, and those of wrangler.toml that it was not started with', async () => {
  const { address, token } = await listen(failing);
  noteServer(directory, { address, token, settings: { ZONES: 'ee' } });
  const opened = await openRunningServer(directory, undefined);
  expect(opened!.env).toMatchObject({ ZONES: 'ee', ENVIRONMENT: 'local' });
});

test.each([
  ['reads', ['registrar', 'list']],
  ['writes', ['registrar', 'add', '--code', 'BETA', '--name', 'Beta', '--dry-run']],
])(
  'the local server is used by a command that %s, from when it comes until it ends',
  async (_, args) => {
    const registry = await tool.newRegistry();
    expect(await registry.run(args)).toMatchObject({ status: 0 });
    const { address, token, end } = await listen(failing);
    noteServer(registry.directory, { address, token });
    expect(await registry.run(args)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('asked through the server'),
    });
    end();
    expect(await registry.run(args)).toMatchObject({ status: 0 });
  },
);

test.each([
  ['production', undefined, 'pass --env production'],
  [undefined, 'staging', 'leave out --env'],
])(
  'whoever works beside a server of the environment %s with --env %s is told to %s',
  async (environment, env, option) => {
    const { address, token } = await listen(failing);
    noteServer(directory, { address, token, environment });
    await expect(openRunningServer(directory, env)).rejects.toThrow(
      `npm start runs on ${directory}; to work through it, ${option}`,
    );
  },
);

test('a copy of a running registry’s folder is a registry of its own', async () => {
  const { address, token } = await listen(failing);
  const original = await tool.newRegistry('ALPHA');
  noteServer(original.directory, { address, token });
  const copy = await tool.newDirectory();
  cpSync(original.directory, copy, { recursive: true });
  expect(await openRunningServer(copy, undefined)).toBeUndefined();
  const moved = `${copy}-moved`;
  renameSync(original.directory, moved);
  expect(await openRunningServer(moved, undefined)).toBeDefined();
  renameSync(moved, original.directory);
});
