import { afterEach, beforeAll, beforeEach, expect, it, type MockInstance, vi } from 'vitest';
import type { Env } from '../../../../src/base/env.ts';
import { app } from '../../../../src/worker/http/app.ts';
import { Faults } from '../../../attack/faults.ts';
import { withMethods } from '../../../list/published.ts';
import { addAuction, addRetainedDomain } from '../../../support/fixtures.ts';
import { shareEmptyWorker } from '../../../support/worker.ts';
import { documentProblem, rowsOf, sectionOf, textOf } from './document.ts';

const worker = shareEmptyWorker();

beforeAll(async () => {
  await addAuction(worker.env, { name: 'auction.ee' });
  await addRetainedDomain(worker.env, { name: 'blocked.ee', status: 'blocked' });
  await worker.scheduled('1 0 * * *');
});

let errors: MockInstance;

beforeEach(() => {
  errors = vi.spyOn(console, 'error').mockImplementation(() => {});
});

afterEach(() => {
  vi.restoreAllMocks();
});

const fault = { message: '503 Service Unavailable', isDone: false };
const whole = () => new Faults();
const without = (...bindings: string[]) =>
  new Faults(fault, (_, binding) => bindings.includes(binding));

/** The answer of the Worker with these faults, in an isolate that remembers nothing. */
async function answer(path: string, faults: Faults, bindings: Partial<Env> = {}) {
  const works: Promise<unknown>[] = [];
  const context = { waitUntil: (work: Promise<unknown>) => works.push(work), props: {} };
  const env = { ...faults.wrap(worker.env), ...bindings };
  const response = await app.request(path, {}, env, context as unknown as ExecutionContext);
  const html = await response.text();
  await Promise.allSettled(works);
  expect(documentProblem(html)).toBeUndefined();
  return { status: response.status, cacheControl: response.headers.get('Cache-Control'), html };
}

it('the page is whole without the database', async () => {
  const { status, cacheControl, html } = await answer('/en/', without('d1'));
  expect(status).toBe(200);
  expect(cacheControl).toContain('public');
  expect(html).not.toContain('at the moment');
});

it('answers about a name without the database, but for its history, and is not cached', async () => {
  const asked = '/en/?name=blocked.ee&as_of=2026-01-31';
  const { status, cacheControl, html } = await answer(asked, without('d1'));
  expect([status, cacheControl]).toEqual([200, 'private, no-store']);
  expect(textOf(html)).toContain('blocked.ee is blocked');
  expect(textOf(html)).toContain('Show This cannot be shown at the moment.');
});

it('does not wait for a database that never answers', async () => {
  const DB = withMethods(worker.env.DB, { batch: () => new Promise(() => {}) });
  const { status, cacheControl, html } = await answer('/en/?name=blocked.ee', whole(), { DB });
  expect([status, cacheControl]).toEqual([200, 'private, no-store']);
  expect(textOf(html)).toContain('blocked.ee is blocked');
  expect(textOf(html)).toContain('Show This cannot be shown at the moment.');
}, 5_000);

it('shows what the database has while KV fails, and is not cached', async () => {
  const { status, cacheControl, html } = await answer('/en/?name=blocked.ee', without('kv'));
  expect([status, cacheControl]).toEqual([200, 'private, no-store']);
  expect(textOf(html)).toContain('blocked.ee is blocked');
  expect(rowsOf(sectionOf(html, 'auctions'))).toEqual([['auction.ee', '7']]);
  expect(rowsOf(sectionOf(html, 'retained'))).toEqual([['blocked.ee', 'blocked']]);
  expect(textOf(sectionOf(html, 'year'))).toContain('There are no figures to show.');
});

it('says what cannot be shown while both fail, and is not cached', async () => {
  const { status, cacheControl, html } = await answer('/en/', without('d1', 'kv'));
  expect([status, cacheControl]).toEqual([200, 'private, no-store']);
  for (const section of ['auctions', 'retained']) {
    expect(textOf(sectionOf(html, section))).toContain('This cannot be shown at the moment.');
  }
  expect(textOf(html)).toContain('curl --compressed');
  expect(errors).toHaveBeenCalled();
});

it('never takes a name to be on no list because the lists cannot be read', async () => {
  const { status, cacheControl, html } = await answer('/en/?name=free.ee', without('d1', 'kv'));
  expect([status, cacheControl]).toEqual([503, 'private, no-store']);
  expect(textOf(html)).toContain('free.ee The lists cannot be read at the moment.');
  expect(html).not.toContain('none of the lists');
});

it('answers whichever call fails, and is cached only if nothing is missing', async () => {
  const calm = whole();
  const right = await answer('/en/?name=blocked.ee', calm);
  expect(calm.calls.length).toBeGreaterThan(5);
  for (const place of calm.calls.keys()) {
    const { status, cacheControl, html } = await answer(
      '/en/?name=blocked.ee',
      new Faults(fault, (call) => call === place),
    );
    expect(status).toBe(200);
    expect(textOf(html)).toContain('blocked.ee is blocked');
    if (cacheControl !== 'private, no-store') expect(html).toBe(right.html);
  }
});
