import { expect, test } from 'vitest';
import { lendBindings } from '../../src/cli/lend-bindings.ts';
import service from '../../src/index.ts';
import { addAuction } from '../fixtures.ts';
import { shareWorker } from '../worker.ts';

const worker = shareWorker();

const lending = lendBindings({
  fetch: async () => new Response('the registry'),
  scheduled: async () => {},
});
const env = { TOOL_TOKEN: 'tool', FRONT_TOKEN: 'front' };

async function statusOf(path: string, headers: Record<string, string> = {}): Promise<number> {
  const request = new Request(`http://127.0.0.1${path}`, { headers });
  const answer = await lending.fetch(request as never, env as never, {} as never);
  return answer.status;
}

test('answers only what came through the front of npm start', async () => {
  expect(await statusOf('/repp/v1/auctions')).toBe(403);
  expect(await statusOf('/repp/v1/auctions', { 'Registry-Front-Token': 'guess' })).toBe(403);
  expect(await statusOf('/repp/v1/auctions', { 'Registry-Front-Token': 'front' })).toBe(200);
});

test("lends the bindings to nobody without the tool's token", async () => {
  expect(await statusOf('/.registry/', { 'Registry-Front-Token': 'front' })).toBe(401);
  expect(await statusOf('/.registry/database', { 'Registry-Tool-Token': 'guess' })).toBe(401);
  expect(await statusOf('/.registry/', { 'Registry-Tool-Token': 'tool' })).toBe(200);
});

test('shows at once what the tool writes through it', async () => {
  const local = { ...worker.env, TOOL_TOKEN: 'tool' };
  const headers = { 'CF-Connecting-IP': '127.0.0.1', 'Registry-Tool-Token': 'tool' };
  const call = async (path: string, init?: RequestInit) => {
    const request = new Request(`http://127.0.0.1${path}`, { ...init, headers });
    const context = { waitUntil: () => {} };
    return lendBindings(service).fetch(request as never, local, context as never);
  };
  const auctions = async () => (await call('/api/v1/auctions')).text();
  await auctions();
  await addAuction(worker.env, { name: 'written-by-the-tool.ee' });
  expect(await auctions()).not.toContain('written-by-the-tool.ee');
  const statements = [{ sql: 'select 1', params: [] }];
  await call('/.registry/database', { method: 'POST', body: JSON.stringify({ statements }) });
  expect(await auctions()).toContain('written-by-the-tool.ee');
});
