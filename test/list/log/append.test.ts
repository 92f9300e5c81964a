import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { toBase64 } from '../../../src/base/bytes/encoding.ts';
import { putDay } from '../../../src/list/archive/day.ts';
import { type ListName, listNames } from '../../../src/list/lists.ts';
import { appendDays, findCheckpoint } from '../../../src/list/log/append.ts';
import { parseCheckpoint, type Signer, signerOf } from '../../../src/list/log/note.ts';
import { checkEntries, openCheckpoint } from '../../../src/list/log/operator/verify.ts';
import { bundlesOf, unbundle } from '../../../src/list/log/tree.ts';
import { counted } from '../../support/counted.ts';
import { withMethods } from '../published.ts';

const isDeep = inject('isDeep');
let runtime: Miniflare;
let count = 0;
let signer: Signer;
const origin = 'registry.example/log';

beforeAll(async () => {
  const r2Buckets = Array.from({ length: 40 }, (_, at) => `BUCKET_${at}`);
  runtime = new Miniflare(
    convertV4MiniflareOptions({ modules: true, script: '', r2Buckets, cf: false }),
  );
  signer = await signerOf(origin, Buffer.alloc(32, 'a').toString('base64'));
});
afterAll(() => runtime.dispose());

/** A bucket of the test's own. */
async function newBucket(): Promise<R2Bucket> {
  count += 1;
  return (await runtime.getR2Bucket(`BUCKET_${count}`)) as never;
}

const dayAt = (index: number) => new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10);

/** Archives a day of each list; one of a list that is missing. */
async function archiveDay(
  bucket: R2Bucket,
  index: number,
  lists: readonly ListName[] = ['all', 'auctions'],
  missing?: ListName,
): Promise<void> {
  const day = dayAt(index);
  for (const list of lists) {
    const kept = { list, day, etag: `e${index}`, sha256: '0a'.repeat(32), count: index, bytes: 9 };
    await putDay(bucket, list === missing ? { list, day, missing: true } : kept);
  }
}

const append = (bucket: R2Bucket) => appendDays(bucket, origin, [signer]);

/** The checkpoint, and the leaves that it signs, as whoever verifies the log reads them. */
async function readLog(bucket: R2Bucket) {
  const note = (await findCheckpoint(bucket))!;
  const checkpoint = await openCheckpoint(note, signer.verifierKey);
  const entries: Uint8Array[] = [];
  for (const path of bundlesOf(checkpoint.size)) {
    const object = await bucket.get(`log/${path}`);
    entries.push(...unbundle(new Uint8Array(await object!.arrayBuffer())));
  }
  return { checkpoint, entries, leaves: await checkEntries(checkpoint, entries) };
}

test('the log has a leaf for each list and day that is not missing, by day and list', async () => {
  const bucket = await newBucket();
  expect(await append(bucket)).toBe(0);
  await archiveDay(bucket, 0, listNames);
  expect(await append(bucket)).toBe(5);
  await archiveDay(bucket, 1, listNames, 'blocked');
  await archiveDay(bucket, 2, listNames);
  expect(await append(bucket)).toBe(14);
  const { entries } = await readLog(bucket);
  const lines = entries.map((entry) => new TextDecoder().decode(entry));
  expect(lines[0]).toBe(`all 2026-01-01 e0 ${'0a'.repeat(32)} 0\n`);
  const all = ['all', 'auctions', 'blocked', 'disputed', 'reserved'];
  expect(lines.map((line) => line.slice(0, line.lastIndexOf('-') + 3))).toEqual([
    ...all.map((list) => `${list} 2026-01-01`),
    ...all.filter((list) => list !== 'blocked').map((list) => `${list} 2026-01-02`),
    ...all.map((list) => `${list} 2026-01-03`),
  ]);
});

/** The bucket, as if a list had so many days in the archive: to put many would take minutes. */
function withDays(bucket: R2Bucket, count: number): R2Bucket {
  const records = Array.from({ length: count }, (_, at) => ({
    ...{ list: 'all', day: dayAt(at), etag: 'e', sha256: '0a'.repeat(32), count: 1 },
  }));
  const listed = (after = '') =>
    records
      .filter(({ day }) => `days/all/${day}` > after)
      .map((record) => ({ customMetadata: { record: JSON.stringify(record) } }));
  return withMethods(bucket, {
    list: async (options: R2ListOptions) =>
      options.prefix === 'days/all/'
        ? { objects: listed(options.startAfter), truncated: false }
        : bucket.list(options),
  });
}

test('catches up with years at once, in full tiles', async () => {
  const bucket = await newBucket();
  expect(await append(withDays(bucket, 1_100))).toBe(1_100);
  const { leaves } = await readLog(bucket);
  expect(leaves.map(({ day }) => day)).toEqual(Array.from({ length: 1_100 }, (_, at) => dayAt(at)));
  const tiles = await bucket.list({ prefix: 'log/tile/' });
  expect(tiles.objects.map(({ key }) => key.slice('log/tile/'.length))).toEqual(
    expect.arrayContaining(['0/000', '0/003', '0/004.p/76', '1/000.p/4']),
  );
});

/** The signer, which writes down what it signs. */
const watched = (signed: string[]): Signer => ({
  ...signer,
  sign(text) {
    signed.push(text);
    return signer.sign(text);
  },
});

/** Puts something of the log again, changed by one character. */
async function spoil(bucket: R2Bucket, key: string): Promise<void> {
  const text = await (await bucket.get(key))!.text();
  await bucket.put(key, text.replace('e0', 'e9'));
}

async function empty(bucket: R2Bucket, prefix: string): Promise<void> {
  const { objects } = await bucket.list({ prefix });
  await bucket.delete(objects.map(({ key }) => key));
}

test.each<[string, (bucket: R2Bucket) => Promise<unknown>, string]>([
  [
    'a bundle was changed',
    (bucket) => spoil(bucket, 'log/tile/entries/000.p/2'),
    "the log's entries are not those of its checkpoint of 2 leaves",
  ],
  [
    'a bundle was lost',
    (bucket) => bucket.delete('log/tile/entries/000.p/2'),
    'the log has lost log/tile/entries/000.p/2',
  ],
  [
    'another tile is where its own would be',
    (bucket) => bucket.put('log/tile/0/000.p/4', new Uint8Array(4 * 32)),
    'log/tile/0/000.p/4 is there, and is not what the log would put',
  ],
  [
    'its beginning was lost',
    async (bucket) => {
      await empty(bucket, 'log/checkpoint/');
      await empty(bucket, 'log/next/');
    },
    'the log has lost its checkpoints and log/next/0',
  ],
])('signs nothing if %s', async (_, change, message) => {
  const bucket = await newBucket();
  await archiveDay(bucket, 0);
  await append(bucket);
  await change(bucket);
  await archiveDay(bucket, 1);
  const signed: string[] = [];
  await expect(appendDays(bucket, origin, [watched(signed)])).rejects.toThrow(message);
  const checkpoints = await bucket.list({ prefix: 'log/checkpoint/' });
  expect([signed, checkpoints.objects.length]).toEqual([[], message.includes('next') ? 0 : 1]);
});

test('fixes nothing after leaves that were changed, and goes on when they are back', async () => {
  const bucket = await newBucket();
  const key = 'log/tile/entries/000.p/2';
  await archiveDay(bucket, 1);
  await append(bucket);
  const before = await (await bucket.get(key))!.text();
  await bucket.put(key, before.replaceAll(dayAt(1), dayAt(0)));
  await expect(append(bucket)).rejects.toThrow('are not those of its checkpoint');
  await bucket.put(key, before);
  expect(await append(bucket)).toBe(2);
  await archiveDay(bucket, 2);
  expect(await append(bucket)).toBe(4);
  await readLog(bucket);
});

/** The listings and the reads of a run that puts nothing. */
async function operationsOf(bucket: R2Bucket) {
  const readOnly = { list: bucket.list.bind(bucket), get: bucket.get.bind(bucket) };
  const { env, counts } = counted({ ARCHIVE: readOnly } as never);
  await append(env.ARCHIVE!);
  return [counts.r2Lists, counts.r2Reads];
}

test('puts nothing while there is no new day, for six listings and three reads however long the log is', async () => {
  const bucket = await newBucket();
  const catchUp = (count: number) => append(withDays(bucket, count));
  expect(await catchUp(3)).toBe(3);
  // All other lists ended with the first days: what they said last is in the first leaves alone.
  await archiveDay(
    bucket,
    3,
    listNames.filter((list) => list !== 'all'),
  );
  expect(await catchUp(1_100)).toBe(1_104);
  expect(await operationsOf(withDays(bucket, 1_100))).toEqual([6, 7]);
  await archiveDay(bucket, 1_100, listNames);
  expect(await catchUp(1_101)).toBe(1_109);
  expect(await operationsOf(withDays(bucket, 1_101))).toEqual([6, 3]);
});

test('signs nothing for another origin than the log has', async () => {
  const bucket = await newBucket();
  await archiveDay(bucket, 0);
  await append(bucket);
  await expect(appendDays(bucket, 'other.example/log', [signer])).rejects.toThrow(
    'the log in the bucket is registry.example/log, and LOG_ORIGIN is other.example/log',
  );
});

test('signs the same again when the checkpoint was lost', async () => {
  const bucket = await newBucket();
  for (const day of [0, 1]) {
    await archiveDay(bucket, day);
    await append(bucket);
  }
  const before = await readLog(bucket);
  const { objects } = await bucket.list({ prefix: 'log/checkpoint/', limit: 1 });
  await bucket.delete(objects[0]!.key);
  expect(await append(bucket)).toBe(4);
  expect(await readLog(bucket)).toEqual(before);
});

/**
 * The bucket for one who appends: each call waits a moment, one of them ends the work before or after it is done, and a
 * listing may be one of days ago.
 */
function mortal(bucket: R2Bucket, random: () => number): R2Bucket {
  let left = Math.floor(random() * 60);
  const mortally =
    <Given extends unknown[], Result>(work: (...given: Given) => Promise<Result>) =>
    async (...given: Given) => {
      await new Promise((resolve) => setTimeout(resolve, random() * 5));
      left -= 1;
      if (left < 0 && random() < 0.5) throw new Error('killed');
      const result = await work(...given);
      if (left < 0) throw new Error('killed');
      return result;
    };
  return {
    get: mortally((key: string) => bucket.get(key)),
    head: mortally((key: string) => bucket.head(key)),
    // As a bucket with a lock does.
    put: mortally(async (key: string, value: string, options: R2PutOptions) => {
      if (await bucket.head(key)) throw new Error('the object is locked');
      return bucket.put(key, value, options);
    }),
    list: mortally(async (options: R2ListOptions) => {
      const listed = await bucket.list(options);
      if (!options.prefix!.startsWith('days/')) return listed;
      const known = Math.floor(random() * (listed.objects.length + 1));
      return { ...listed, objects: listed.objects.slice(0, known) };
    }),
  } as never;
}

/** Repeatable. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const [seeds, appenders] = isDeep ? [8, 100] : [1, 6];

test.each(Array.from({ length: seeds }, (_, at) => at + 1))(
  'however many append at once and are killed, never signs two roots for a size (seed %i)',
  async (seed) => {
    const random = randomFrom(seed);
    const bucket = await newBucket();
    const signed: string[] = [];
    const days = 4;
    for (let day = 0; day < days; day++) await archiveDay(bucket, day);
    const appending = Array.from({ length: appenders }, async () => {
      await new Promise((resolve) => setTimeout(resolve, random() * 5 * appenders));
      const its = appendDays(mortal(bucket, random), origin, [watched(signed)]);
      // Whoever loses the connection to a busy runtime ends as well.
      await its.catch(({ message }) => expect(message).toMatch(/^(killed|fetch failed)$/));
    });
    await Promise.all(appending);
    // The append that was begun ends before a new one begins.
    while ((await append(bucket)) < 2 * days);

    const { checkpoint, entries, leaves } = await readLog(bucket);
    expect(leaves.length).toBe(2 * days);
    const roots = new Map<number, string>();
    for (const note of signed) {
      const { size, root } = parseCheckpoint(note);
      expect(roots.get(size) ?? toBase64(root)).toBe(toBase64(root));
      roots.set(size, toBase64(root));
      await checkEntries(checkpoint, entries, { origin, size, root });
    }
    expect(signed.length).toBeGreaterThan(0);
  },
);
