import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer } from './server.ts';

const directory = mkdtempSync(join(tmpdir(), 'start-doors-'));
let server: Awaited<ReturnType<typeof startServer>>;

beforeAll(async () => {
  server = await startServer('--ip', '0.0.0.0', '--no-demo', '--persist-to', directory);
}, 120_000);

afterAll(async () => {
  await server.stop();
  rmSync(directory, { recursive: true });
}, 60_000);

const noted = () => JSON.parse(readFileSync(join(directory, 'server.json'), 'utf8'));

/** The address at which other machines reach this one, if it has any. */
const outside = Object.values(networkInterfaces())
  .flat()
  .find((found) => found?.family === 'IPv4' && !found.internal)?.address;

test('says in one line what others can reach', () => {
  expect(server.printed()).toMatch(/^ {2}Others can reach 0\.0\.0\.0: [^\n]+\n/m);
});

test.each(['/cdn-cgi/explorer/api/d1/database', '/cdn-cgi/local/explorer/api/d1/database'])(
  'shows nobody %s, at its own address or at the one behind it',
  async (path) => {
    for (const address of [server.address, noted().address]) {
      const { status, headers } = await fetch(address + path);
      expect([403, 500]).toContain(status);
      expect(headers.get('Content-Type')).toMatch('text/plain');
    }
  },
);

test('runs no SQL without the token, which no list of processes shows', async () => {
  const { address, token } = noted();
  const body = JSON.stringify({ statements: [{ sql: 'select 1', params: [] }], isRaw: true });
  const run = async (at: string, token: string) => {
    const headers = { 'Registry-Tool-Token': token };
    return (await fetch(`${at}/.registry/database`, { method: 'POST', headers, body })).status;
  };
  expect(await run(address, token)).toBe(200);
  expect(await run(address, 'guess')).toBe(401);
  expect(await run(server.address, 'guess')).toBe(401);
  const processes = execFileSync('ps', ['-ewwo', 'args'], { encoding: 'utf8' });
  expect(processes).toContain(directory);
  expect(processes).not.toContain(token);
});

test('listens for no debugger', () => {
  const processes = execFileSync('ps', ['-axwwo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/ +/));
  const tree = [String(server.child.pid)];
  for (const pid of tree) {
    tree.push(...processes.flatMap(([child, parent]) => (parent === pid ? child! : [])));
  }
  const commands = processes.filter(([pid]) => tree.includes(pid!)).map((line) => line.join(' '));
  expect(commands.some((command) => command.includes('workerd'))).toBe(true);
  for (const command of commands) expect(command).not.toMatch(/inspector-addr|debug-port/);
});

test.skipIf(outside === undefined)('believes no address that a client claims', async () => {
  const one = '/api/v1/auctions/1b3f5c1e-0000-4000-8000-000000000000';
  const { port } = new URL(server.address);
  const statusOf = async (host: string, claimed: string) => {
    const headers = { 'CF-Connecting-IP': claimed };
    return (await fetch(`http://${host}:${port}${one}`, { headers })).status;
  };
  expect(await statusOf('127.0.0.1', '203.0.113.9')).toBe(404);
  expect(await statusOf(outside!, '127.0.0.1')).toBe(401);
});
