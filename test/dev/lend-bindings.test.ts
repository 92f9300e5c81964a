import { expect, test, vi } from 'vitest';
import { openDatabase } from '../../src/base/database/open.ts';
import { lendBindings } from '../../src/dev/lend-bindings.ts';
import service from '../../src/index.ts';
import { publish } from '../../src/list/publish/publish.ts';
import { openOverHttp } from '../../src/tool/local/http-bindings.ts';
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

/** What the tool uses of a service on the data of the worker, whose public calls `call` makes. */
async function withLent(use: (lent: ReturnType<typeof openOverHttp>) => Promise<void>) {
  const fetching = vi.spyOn(globalThis, 'fetch').mockImplementation(call);
  await use(openOverHttp('http://127.0.0.1', 'tool')).finally(() => fetching.mockRestore());
}

function call(input: unknown, init?: RequestInit): Promise<Response> {
  const request = new Request(new URL(String(input), 'http://127.0.0.1'), init);
  request.headers.set('CF-Connecting-IP', '127.0.0.1');
  const local = { ...worker.env, TOOL_TOKEN: 'tool' };
  const context = { waitUntil: () => {} };
  const response = lendBindings(service).fetch(request as never, local, context as never);
  return response as Promise<unknown> as Promise<Response>;
}

test('shows at once what the tool writes through it', async () => {
  const auctions = async () => (await call('/api/v1/auctions')).text();
  await auctions();
  await addAuction(worker.env, { name: 'written-by-the-tool.ee' });
  expect(await auctions()).not.toContain('written-by-the-tool.ee');
  await withLent(async ({ DB }) => {
    expect(await DB.prepare('select 1 as one').first('one')).toBe(1);
    expect(await DB.prepare('select 1 as one').first()).toEqual({ one: 1 });
    expect(await DB.prepare('select 1 as one where false').first('one')).toBeNull();
  });
  expect(await auctions()).toContain('written-by-the-tool.ee');
});

test('lends all that publishing from nothing and again needs', async () => {
  await withLent(async ({ DB, LISTS }) => {
    const again = () =>
      publish({ db: openDatabase(DB), kv: LISTS as never, clock: () => new Date() }, ['blocked'], {
        isForced: true,
      });
    expect(await again()).toEqual(['blocked']);
    await addRetainedDomain(worker.env, { name: 'lent.ee', status: 'blocked' });
    expect(await again()).toEqual(['blocked']);
    const { keys } = (await LISTS.list({ prefix: 'list/' })) as { keys: { name: string }[] };
    expect(keys).toContainEqual(expect.objectContaining({ name: 'list/blocked' }));
  });
});

test('lends the archive, to put objects there and to list them', async () => {
  await worker.env.ARCHIVE!.put('lent/a', 'x', { customMetadata: { a: 'b' } });
  await withLent(async ({ ARCHIVE }) => {
    await ARCHIVE.put('lent/b c', 'öine');
    expect(await ARCHIVE.list({ prefix: 'lent/', include: ['customMetadata'] })).toMatchObject({
      truncated: false,
      objects: [{ key: 'lent/a', size: 1, customMetadata: { a: 'b' } }, { key: 'lent/b c' }],
    });
  });
  expect(await (await worker.env.ARCHIVE!.get('lent/b c'))?.text()).toBe('öine');
});
