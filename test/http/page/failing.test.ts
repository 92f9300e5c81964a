import { afterEach, beforeAll, beforeEach, expect, it, type MockInstance, vi } from 'vitest';
import type { Env } from '../../../src/env.ts';
import { app } from '../../../src/http/app.ts';
import { addAuction, addRetainedDomain } from '../../fixtures.ts';
import { startWorker } from '../../worker.ts';
import { documentProblem, rowsOf, sectionOf, textOf } from './document.ts';

const worker = startWorker();

beforeAll(async () => {
  await addAuction(worker.env, { name: 'auction.ee' });
  await addRetainedDomain(worker.env, { name: 'blocked.ee', status: 'blocked' });
  await worker.scheduled('1 0 * * *');
});

let errors: MockInstance;

beforeEach(() => {
  errors = vi.spyOn(console, 'error').mockImplementation(() => {});
  vi.spyOn(console, 'info').mockImplementation(() => {});
});

afterEach(() => {
  vi.restoreAllMocks();
});

const refuse = () => Promise.reject(new Error('503 Service Unavailable'));

function withFailingStore({ ...env }: Env): Env {
  const methods = ['get', 'getWithMetadata', 'put', 'delete', 'list'];
  env.LISTS = Object.fromEntries(methods.map((name) => [name, refuse])) as unknown as KVNamespace;
  return env;
}

function withFailingDatabase({ ...env }: Env): Env {
  const statement = { bind: () => statement, all: refuse, raw: refuse, run: refuse, first: refuse };
  const connection = { prepare: () => statement, batch: refuse, getBookmark: () => null };
  env.DB = { ...connection, withSession: () => connection } as unknown as D1Database;
  return env;
}

/** What the Worker answers with these bindings, in an isolate that remembers nothing. */
async function answer(path: string, env: Env) {
  const LISTS = new Proxy(env.LISTS, {
    get: (kv, name: keyof KVNamespace) => (kv[name] as () => unknown).bind(kv),
  });
  const works: Promise<unknown>[] = [];
  const context = { waitUntil: (work: Promise<unknown>) => works.push(work), props: {} };
  const response = await app.request(
    path,
    {},
    { ...env, LISTS },
    context as unknown as ExecutionContext,
  );
  const html = await response.text();
  await Promise.allSettled(works);
  expect(documentProblem(html)).toBeUndefined();
  return { status: response.status, headers: response.headers, html };
}

it('is whole without the database', async () => {
  const { status, headers, html } = await answer(
    '/en/?name=blocked.ee',
    withFailingDatabase(worker.env),
  );
  expect(status).toBe(200);
  expect(headers.get('Cache-Control')).toContain('public');
  expect(html).not.toContain('at the moment');
  expect(textOf(html)).toContain('blocked.ee is blocked');
});

it('shows what the database has while KV fails, and is not cached', async () => {
  const { status, headers, html } = await answer(
    '/en/?name=blocked.ee',
    withFailingStore(worker.env),
  );
  expect(status).toBe(200);
  expect(headers.get('Cache-Control')).toBe('private, no-store');
  expect(textOf(html)).toContain('blocked.ee is blocked');
  expect(rowsOf(sectionOf(html, 'auctions'))).toEqual([['auction.ee', 'auction.ee', '10']]);
  expect(rowsOf(sectionOf(html, 'retained'))).toEqual([['blocked.ee', 'blocked', 'blocked.ee']]);
  expect(textOf(sectionOf(html, 'year'))).toContain('There are no figures to show.');
});

it('says what cannot be shown while both fail, and is not cached', async () => {
  const failing = withFailingDatabase(withFailingStore(worker.env));
  const { status, headers, html } = await answer('/en/', failing);
  expect(status).toBe(200);
  expect(headers.get('Cache-Control')).toBe('private, no-store');
  for (const section of ['auctions', 'retained']) {
    expect(textOf(sectionOf(html, section))).toContain('This cannot be shown at the moment.');
  }
  expect(textOf(html)).toContain('curl --compressed');
  expect(errors).toHaveBeenCalled();
});

it('never takes a name for free because the lists cannot be read', async () => {
  const failing = withFailingDatabase(withFailingStore(worker.env));
  const { status, headers, html } = await answer('/en/?name=free.ee', failing);
  expect(status).toBe(503);
  expect(headers.get('Cache-Control')).toBe('private, no-store');
  expect(textOf(html)).toContain('free.ee The lists cannot be read at the moment.');
  expect(html).not.toContain('free of restrictions');
});
