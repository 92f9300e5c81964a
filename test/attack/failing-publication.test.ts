import { beforeEach, expect, inject, it } from 'vitest';
import { openDatabase } from '../../src/base/database/open.ts';
import type { Env } from '../../src/base/env.ts';
import { dayOf } from '../../src/base/time/day.ts';
import { buildLists } from '../../src/list/entries.ts';
import { buildBlock } from '../../src/list/format/block.ts';
import type { ListEntry } from '../../src/list/format/entry.ts';
import { createHead } from '../../src/list/format/head.ts';
import { auctionList, retainedList } from '../../src/list/lists.ts';
import { publish } from '../../src/list/publish/publish.ts';
import { app } from '../../src/worker/http/app.ts';
import { published } from '../list/published.ts';
import { addAuction, addDispute, addRetainedDomain, emptyLists } from '../support/fixtures.ts';
import { shareEmptyWorker } from '../support/worker.ts';
import { type Fault, Faults, overload, passingMessages } from './faults.ts';

const worker = shareEmptyWorker();
const clock = () => new Date();
/** Every second call fails in its turn; every call in the deep run. */
const step = inject('isDeep') ? 1 : 2;

beforeEach(() => emptyLists(worker.env));

/** One list of each source: what goes wrong for one of several of a source goes wrong for the others. */
const listNames = [auctionList, retainedList] as const;
const publishWith = (env: Env) =>
  publish({ db: openDatabase(env.DB), kv: env.LISTS, clock }, listNames);

/** Every list in KV: body and ETag belong together, and the count is that of the entries. */
async function wholeLists() {
  const lists: Record<string, { body: unknown; etag: string | undefined }> = {};
  for (const list of listNames) {
    const { body, metadata } = await published(worker.env, list);
    const entries = body?.auctions ?? body?.domains;
    expect(body?.count, list).toBe(entries?.length);
    expect(metadata?.count, list).toBe(entries?.length);
    lists[list] = { body, etag: metadata?.etag };
  }
  return lists;
}

/** The ETags that KV would hold if nothing had failed. */
async function rightEtags() {
  const { db } = worker;
  const save = async (entries: ListEntry[]) => (await buildBlock('', entries)).block;
  const etags = listNames.map(async (list) => {
    const blocks = (await buildLists(db, [{ list, save }], dayOf(clock()))).get(list)!;
    return [list, (await createHead(list, '', blocks)).etag];
  });
  return Object.fromEntries(await Promise.all(etags));
}

const etagsOf = (lists: Awaited<ReturnType<typeof wholeLists>>) =>
  Object.fromEntries(Object.entries(lists).map(([list, { etag }]) => [list, etag]));

const faults: Fault[] = [
  { message: overload, isDone: false },
  { message: passingMessages[0] as string, isDone: true },
  { message: 'KV PUT failed: 503 Service Unavailable', isDone: true },
];

it('leaves every list whole, as it was or as it is to be, whichever call fails, and the next run repairs it', {
  timeout: 180_000,
}, async () => {
  await addDispute(worker.env);
  await publishWith(worker.env);
  const calm = new Faults();
  await change();
  await publishWith(calm.wrap(worker.env));

  for (let place = 0; place < calm.calls.length; place += step) {
    const fault = faults[place % faults.length] as Fault;
    await expectWhole(`call ${place} (${calm.calls[place]}), ${fault.message}`, () =>
      publishWith(new Faults(fault, (call) => call === place).wrap(worker.env)),
    );
  }
});

it('leaves every list whole wherever the publisher is killed, and the next run repairs it', {
  timeout: 180_000,
}, async () => {
  await publishWith(worker.env);
  const calm = new Faults();
  await change();
  await publishWith(calm.wrap(worker.env));
  const dead: Fault = { message: 'killed', isDone: false };

  for (let place = 0; place < calm.calls.length; place += step) {
    const { promise: killed, resolve: kill } = Promise.withResolvers<void>();
    const isDead = (call: number) => {
      if (call >= place) kill();
      return call >= place;
    };
    await expectWhole(`killed at call ${place} (${calm.calls[place]})`, () => {
      // Its further calls fail as well, and nobody waits for it.
      publishWith(new Faults(dead, isDead).wrap(worker.env)).catch(() => {});
      return killed;
    });
  }
});

/** After a change and a publishing that goes wrong, every list is the old one or the new one, and then repaired. */
async function expectWhole(label: string, goWrong: () => Promise<unknown>) {
  const before = etagsOf(await wholeLists());
  await change();
  const right = await rightEtags();

  await goWrong().catch(() => {});

  const after = etagsOf(await wholeLists());
  for (const list of listNames) {
    expect([before[list], right[list]], `${label}, ${list}`).toContain(after[list]);
  }
  await publishWith(worker.env);
  expect(etagsOf(await wholeLists()), label).toEqual(right);
}

/** Changes both lists. */
async function change() {
  await addRetainedDomain(worker.env);
  await addAuction(worker.env);
}

async function answerOf(env: Env, path = '/repp/v1/retained_domains', init: RequestInit = {}) {
  const later: Promise<unknown>[] = [];
  const context = { waitUntil: (work: Promise<unknown>) => later.push(work) };
  const response = await app.request(path, init, env, context as unknown as ExecutionContext);
  const body = response.status === 200 ? await response.json() : await response.text();
  await Promise.allSettled(later);
  return { status: response.status, etag: response.headers.get('ETag'), body };
}

it('answers from the database while KV fails at each call, with the same list and ETag', async () => {
  await addRetainedDomain(worker.env);
  await publishWith(worker.env);
  const calm = await answerOf(new Faults().wrap(worker.env));
  const down = new Faults({ message: 'KV GET failed', isDone: false }, (_, kind) => kind === 'kv');

  expect(await answerOf(down.wrap(worker.env))).toEqual(calm);
});

it('tells in the form of the lists that there is none where KV is empty and D1 is down', async () => {
  const down = new Faults({ message: overload, isDone: false }, (_, binding) => binding === 'd1');

  const { status, body } = await answerOf(down.wrap(worker.env));

  expect(status).toBe(500);
  expect(JSON.parse(String(body))).toEqual({
    errors: { base: [expect.stringMatching(/^Internal error, request id [0-9a-f-]{36}$/)] },
  });
});

it('answers, and publishes next time, where KV is empty and its put fails', async () => {
  await addRetainedDomain(worker.env);
  const right = await rightEtags();
  const faults = new Faults(
    { message: 'KV PUT failed', isDone: false },
    (call, binding) => binding === 'kv' && call > 0,
  );

  const { status, etag } = await answerOf(faults.wrap(worker.env));
  await publishWith(worker.env);

  expect({ status, etag }).toEqual({ status: 200, etag: right.all });
  expect(etagsOf(await wholeLists())).toEqual(right);
});
