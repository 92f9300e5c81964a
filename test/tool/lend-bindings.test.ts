import { expect, test, vi } from 'vitest';
import { openDatabase } from '../../src/base/database/open.ts';
import service from '../../src/index.ts';
import { publish } from '../../src/list/publish/publish.ts';
import { openOverHttp } from '../../src/tool/local/http-bindings.ts';
import { lendBindings } from '../../src/tool/local/lend-bindings.ts';
import { addAuction, addRetainedDomain } from '../support/fixtures.ts';
import { shareWorker } from '../support/worker.ts';

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

test('lends all that publishing from nothing and again needs', async () => {
  const local = { ...worker.env, TOOL_TOKEN: 'tool' };
  const fetching = vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
    const request = new Request(input as URL, init);
    return lendBindings(service).fetch(request as never, local, {} as never) as Promise<Response>;
  });
  const { DB, LISTS } = openOverHttp('http://127.0.0.1', 'tool');
  const again = () =>
    publish(openDatabase(DB), LISTS as never, ['blocked'], () => new Date(), {
      isForced: true,
    });
  expect(await again()).toEqual(['blocked']);
  await addRetainedDomain(worker.env, { name: 'lent.ee', status: 'blocked' });
  expect(await again()).toEqual(['blocked']);
  fetching.mockRestore();
});

test('lends the list of what is in the archive', async () => {
  const local = { ...worker.env, TOOL_TOKEN: 'tool' };
  await worker.env.ARCHIVE!.put('lent', 'x', { customMetadata: { a: 'b' } });
  const options = encodeURIComponent('{"prefix":"lent","include":["customMetadata"]}');
  const request = new Request(`http://127.0.0.1/.registry/archive?options=${options}`, {
    headers: { 'Registry-Tool-Token': 'tool' },
  });
  const answer = await lendBindings(service).fetch(request as never, local, {} as never);
  expect(await answer.json()).toMatchObject({
    truncated: false,
    objects: [{ key: 'lent', size: 1, customMetadata: { a: 'b' } }],
  });
});

test('lends what puts an object into the archive', async () => {
  const local = { ...worker.env, TOOL_TOKEN: 'tool' };
  const fetching = vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
    const request = new Request(input as URL, init);
    return lendBindings(service).fetch(request as never, local, {} as never) as Promise<Response>;
  });
  await openOverHttp('http://127.0.0.1', 'tool').ARCHIVE.put('put/a b', 'öine');
  fetching.mockRestore();
  expect(await (await worker.env.ARCHIVE!.get('put/a b'))?.text()).toBe('öine');
});
