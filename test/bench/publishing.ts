import { setTimeout } from 'node:timers/promises';
import { newMeter } from '../../src/base/database/meter.ts';
import { openDatabase } from '../../src/base/database/open.ts';
import type { Env } from '../../src/base/env.ts';
import { headKey, readPublished } from '../../src/list/kv.ts';
import { listNames, retainedList } from '../../src/list/lists.ts';
import { publish } from '../../src/list/publish/publish.ts';
import { expireCopies } from '../../src/list/read/memory.ts';
import { readList } from '../../src/list/read/whole-list.ts';
import { counted } from '../support/counted.ts';
import { addRetainedDomain } from '../support/fixtures.ts';
import { nameOf, seedRetainedNames } from '../support/seed.ts';
import { atLeast, atMost, type Figure, stated } from './figure.ts';
import { knowing, retainedDomains } from './lists.ts';
import { compare, edgeHeaders } from './load.ts';
import { peakBytes } from './memory.ts';
import { type Runtime, startRuntime } from './runtime.ts';

const mebibyte = 1024 * 1024;
const large = 1_000_000;
const huge = 5_000_000;

/** Publishing one and five million names: what it takes, what a change takes, and what readers notice of it. */
export async function publishing(): Promise<Figure[]> {
  const runtime = await startRuntime([], ['small', 'large', 'huge']);
  try {
    await seedRetainedNames(runtime.envOf('small'), 100);
    await runtime.publish('small');
    const ofLarge = await ofLargeList(runtime);
    const ofHuge = await ofHugeList(runtime.envOf('huge'), ofLarge.one);
    return [...ofLarge.figures, ...ofHuge];
  } finally {
    await runtime.stop();
  }
}

async function ofLargeList(runtime: Runtime) {
  const env = runtime.envOf('large');
  await seedRetainedNames(env, large);
  const held = await peakBytes(() => publishWith(env));
  const unchanged = await costOfPublishing(env);
  const since = await fetch(runtime.url('large', retainedDomains), { headers: edgeHeaders });
  await since.body?.cancel();
  const one = await medianCost(env);
  const followed = await changesBytes(runtime, since.headers.get('ETag')!);
  const known = async (worker: string) =>
    ({
      url: runtime.url(worker, retainedDomains),
      headers: await knowing(runtime, worker),
      status: 304,
    }) as const;
  const [, ratio] = await compare([await known('small'), await known('large')]);
  const of = 'Publishing 1,000,000 names';
  const added = 'One name added among 1,000,000';
  const figures = [
    atMost(`${of}: memory held, heap and buffers`, held / mebibyte, 'MiB', 96),
    atMost('Head of 1,000,000 names, compressed', (await headBytes(env)) / 1024, 'KiB', 40),
    atMost('Publishing what has not changed: rows read', unchanged.rowsRead, '', 10),
    atMost('Publishing what has not changed: KV writes', unchanged.puts, '', 0),
    atMost(`${added}: rows read`, one.rowsRead, '', 10_000),
    atMost(`${added}: values put`, one.puts, '', 12),
    atMost(`${added}: bytes put`, one.putBytes / 1000, 'KB', 300),
    atMost(`${added}: bytes that a client following changes fetches`, followed, '', 1_000),
    stated('Whole list of 1,000,000 names', (await wholeBytes(env)) / mebibyte, 'MiB'),
    atLeast('304 of 1,000,000 names, requests/s', ratio!, '× of 100 names', 0.9),
  ];
  return { figures, one };
}

async function ofHugeList(env: Env, oneOfLarge: PublishingCost): Promise<Figure[]> {
  await seedRetainedNames(env, huge);
  let first: PublishingCost | undefined;
  const startedAt = performance.now();
  const held = await peakBytes(async () => {
    first = await costOfPublishing(env);
  });
  const seconds = (performance.now() - startedAt) / 1000;
  const one = await medianCost(env);
  const served = await peakBytes(() => drain(env));
  const of = '5,000,000 names';
  const times = (of: keyof PublishingCost) => one[of] / oneOfLarge[of];
  return [
    atMost(`Publishing ${of}: memory held, heap and buffers`, held / mebibyte, 'MiB', 96),
    stated(`Publishing ${of}: values put`, first!.puts, ''),
    atMost(`Publishing ${of}: largest KV value`, first!.largestPut / mebibyte, 'MiB', 20),
    stated(`Publishing ${of}: time, collections included`, seconds, 's'),
    atMost(`One name added among ${of}: rows read`, times('rowsRead'), '× of 1,000,000', 1.3),
    atMost(`One name added among ${of}: values put`, times('puts'), '× of 1,000,000', 1.3),
    atMost(`One name added among ${of}: bytes put`, times('putBytes'), '× of 1,000,000', 1.3),
    stated(`Whole list of ${of}`, (await wholeBytes(env)) / mebibyte, 'MiB'),
    atMost(`Serving ${of}: memory held, heap and buffers`, served / mebibyte, 'MiB', 96),
  ];
}

const samples = 11;

/** Blocks differ in size, so one name is as good as another: the median of several, each published on its own. */
async function medianCost(env: Env): Promise<PublishingCost> {
  const costs: PublishingCost[] = [];
  for (let count = 0; count < samples; count++) {
    await addRetainedDomain(env, { name: `extra-${nameOf(977 * count).name}` });
    costs.push(await costOfPublishing(env));
  }
  const median = (of: keyof PublishingCost) =>
    costs.map((cost) => cost[of]).toSorted((a, b) => a - b)[(samples - 1) / 2]!;
  return {
    rowsRead: median('rowsRead'),
    puts: median('puts'),
    putBytes: median('putBytes'),
    largestPut: median('largestPut'),
  };
}

function publishWith({ DB, LISTS }: Env) {
  return publish({ db: openDatabase(DB), kv: LISTS, clock: () => new Date() }, listNames);
}

/** Bytes of the answer that leads from the publication before the last to the last. */
async function changesBytes(runtime: Runtime, since: string): Promise<number> {
  const list = `${retainedDomains}/changes`;
  const ask = async (tag: string) => {
    const url = runtime.url('large', `${list}?since=${encodeURIComponent(tag)}`);
    const response = await fetch(url, { headers: edgeHeaders });
    if (response.status !== 200) throw new Error(`changes: ${response.status}`);
    return response.text();
  };
  // The Worker remembers for some seconds what was published before.
  for (let tries = 0; tries < 60; tries++) {
    const answer = await ask(since);
    const { added }: { added: object[] } = JSON.parse(answer);
    // Of several names, each takes its share.
    if (added.length === samples) return Math.ceil(answer.length / samples) + since.length;
    await setTimeout(1_000);
  }
  throw new Error('changes: the Worker never answered with all of them');
}

/** Reads the whole list as an answer does, and forgets it piece by piece. */
async function drain({ DB, LISTS }: Env): Promise<void> {
  expireCopies(LISTS, listNames);
  const reader = {
    db: () => openDatabase(DB),
    kv: LISTS,
    meter: newMeter(),
    clock: () => new Date(),
    later: () => {},
    report: () => {},
    countAs: async () => {},
  };
  const { body } = await readList(retainedList, reader, () => false);
  for await (const _ of new Response(body).body!);
}

/** The cost of publishing, in the platform's units, and the bytes that went to KV. */
interface PublishingCost {
  rowsRead: number;
  puts: number;
  putBytes: number;
  largestPut: number;
}

async function costOfPublishing(env: Env): Promise<PublishingCost> {
  const { env: counting, counts } = counted(env);
  let [putBytes, largestPut] = [0, 0];
  const kv = new Proxy(counting.LISTS, {
    get(target, name: keyof KVNamespace) {
      if (name !== 'put') return target[name];
      return (key: string, value: Uint8Array, options: KVNamespacePutOptions) => {
        putBytes += value.byteLength;
        largestPut = Math.max(largestPut, value.byteLength);
        return target.put(key, value, options);
      };
    },
  });
  await publish({ db: openDatabase(counting.DB), kv, clock: () => new Date() }, listNames);
  return { rowsRead: counts.rowsRead, puts: counts.kvWrites, putBytes, largestPut };
}

/** Bytes of the value that says what a list is. */
async function headBytes({ LISTS }: Env): Promise<number> {
  return (await LISTS.get(headKey(retainedList), 'arrayBuffer'))!.byteLength;
}

/** Bytes of the whole list, compressed. */
async function wholeBytes({ LISTS }: Env): Promise<number> {
  return (await readPublished(LISTS)).get(retainedList)!.bytes;
}
