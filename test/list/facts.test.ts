import { beforeEach, expect, test } from 'vitest';
import { listNames } from '../../src/list/lists.ts';
import { publish } from '../../src/list/publish/publish.ts';
import { browseNames, readNames } from '../../src/list/read/browse.ts';
import { readFacts } from '../../src/list/read/parts.ts';
import { Faults } from '../attack/faults.ts';
import { counted } from '../support/counted.ts';
import { addAuction, addRetainedDomain, emptyLists } from '../support/fixtures.ts';
import { shareEmptyWorker } from '../support/worker.ts';
import { published, withMethods } from './published.ts';
import { newReader } from './reader.ts';

const worker = shareEmptyWorker();
let now = new Date('2026-05-05T12:00:00Z');
const clock = () => now;
const publishAll = () => publish({ db: worker.db, kv: worker.env.LISTS, clock }, listNames);
beforeEach(async () => {
  await emptyLists(worker.env);
  await addAuction(worker.env);
});

test('gives count, ETag and time of every list, by one read of KV for each', async () => {
  await publishAll();
  const { env, counts } = counted(worker.env);
  const { reader } = newReader(env, clock);
  const facts = await readFacts(reader);
  for (const list of listNames) {
    const { metadata } = await published(worker.env, list);
    expect(facts[list]).toEqual({
      etag: metadata!.etag,
      count: list === 'auctions' ? 1 : 0,
      publishedAt: '2026-05-05T12:00:00.000Z',
    });
  }
  expect(await readFacts(reader)).toEqual(facts);
  expect(counts).toMatchObject({ kvReads: listNames.length, kvLists: 0, d1RoundTrips: 0 });
  expect(reader.meter.kvReads).toBe(listNames.length);
});

test('shares the reads of heads with the other parts of a request', async () => {
  await addRetainedDomain(worker.env);
  await publishAll();
  const { reader } = newReader(worker.env, clock);
  const [facts, names, page] = await Promise.all([
    readFacts(reader),
    readNames('auctions', reader),
    browseNames('all', { prefix: '', limit: 10 }, reader),
  ]);
  expect([facts.auctions?.count, names.length, page.names.length]).toEqual([1, 1, 1]);
  // The five heads, and one block of each of the two lists.
  expect(reader.meter.kvReads).toBe(listNames.length + 2);
});

test('reads a head again that could not be read', async () => {
  await publishAll();
  const faults = new Faults({ message: 'KV failed: 503', isDone: false }, (call) => call === 0);
  const { reader } = newReader(faults.wrap(worker.env), clock);
  expect((await readFacts(reader)).auctions).toBeUndefined();
  expect((await readFacts(reader)).auctions?.count).toBe(1);
});

test('has none of a list that was never published', async () => {
  await publish({ db: worker.db, kv: worker.env.LISTS, clock }, ['auctions']);
  const { reader } = newReader(worker.env, clock);
  const facts = await readFacts(reader);
  expect(facts.auctions?.count).toBe(1);
  expect(facts.all).toBeUndefined();
});

test('gives what it has last seen where KV fails', async () => {
  await publishAll();
  let isDown = false;
  const LISTS = withMethods(worker.env.LISTS, {
    async getWithMetadata(key: string, options: KVNamespaceGetOptions<'arrayBuffer'>) {
      if (isDown) throw new Error('KV GET failed: 503');
      return worker.env.LISTS.getWithMetadata(key, options);
    },
  });
  const { reader } = newReader({ ...worker.env, LISTS }, clock);
  const facts = await readFacts(reader);
  isDown = true;
  now = new Date(now.getTime() + 60_000);
  expect(await readFacts(reader)).toEqual(facts);
  expect((await readFacts(newReader({ ...worker.env, LISTS }, clock).reader)).all).toBeUndefined();
});
