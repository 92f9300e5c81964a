import { joinBytes } from '../../base/bytes/encoding.ts';
import { listDays } from '../archive/day.ts';
import { putUnlessThere } from '../archive/objects.ts';
import { listNames } from '../lists.ts';
import { parseCheckpoint, type Signer, signCheckpoint } from './note.ts';
import {
  type Bytes,
  bundle,
  bundlesOf,
  cut,
  isSame,
  leafHash,
  rootOf,
  type Tile,
  tilesAfter,
  tileWidth,
  unbundle,
} from './tree.ts';

export const logPrefix = 'log/';
const checkpointPrefix = `${logPrefix}checkpoint/`;

/** The newest checkpoint is listed first. */
const checkpointKey = (size: number) =>
  checkpointPrefix + String(999_999_999_999 - size).padStart(12, '0');

const bytesOf = (text: string) => new TextEncoder().encode(text) as Bytes;
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/**
 * Appends the days that the archive has and the log has not, and returns how many leaves the log has. Runs at once,
 * or again, write the same (README.md, "How it is kept"). Throws an Error, and signs nothing, if something in the
 * bucket is not what the last checkpoint signs.
 */
export async function appendDays(
  bucket: R2Bucket,
  origin: string,
  signers: readonly Signer[],
): Promise<number> {
  const signed = await readCheckpoint(bucket);
  if (signed && signed.origin !== origin) {
    throw new Error(`the log in the bucket is ${signed.origin}, and LOG_ORIGIN is ${origin}`);
  }
  const size = signed?.size ?? 0;
  const next = (await readObject(bucket, nextKey(size))) ?? (await newLeaves(bucket, size));
  if (next.length === 0) return size;

  const before = (
    await Promise.all(bundlesOf(size).map((path) => readBundle(bucket, path)))
  ).flat();
  const hashesBefore = await Promise.all(before.map(leafHash));
  if (signed && !isSame(await rootOf(hashesBefore), signed.root)) {
    throw new Error(`the log's entries are not those of its checkpoint of ${size} leaves`);
  }
  // Only after the existing leaves have been verified.
  const leaves = linesIn(await putFirst(bucket, nextKey(size), next));
  const entries = [...before, ...leaves];
  const hashes = [...hashesBefore, ...(await Promise.all(leaves.map(leafHash)))];
  await Promise.all([
    ...(await tilesAfter(size, hashes)).map((tile) => putTile(bucket, tile, joinBytes)),
    ...cut('entries', entries)
      .slice(Math.floor(size / tileWidth))
      .map((tile) => putTile(bucket, tile, bundle)),
  ]);

  const checkpoint = { origin, size: entries.length, root: await rootOf(hashes) };
  const key = checkpointKey(checkpoint.size);
  const note = await signCheckpoint(checkpoint, signers);
  const there = await putFirst(bucket, key, bytesOf(note), {
    size: String(checkpoint.size),
    keys: signers.map(({ verifierKey }) => verifierKey).join(' '),
  });
  // Another run may have signed it with other keys.
  if (!isSame(parseCheckpoint(textOf(there)).root, checkpoint.root)) throw unlike(key);
  return checkpoint.size;
}

/** Undefined while there is none. */
export async function findCheckpoint(bucket: R2Bucket): Promise<string | undefined> {
  const newest = await listNewest(bucket);
  return (newest && (await bucket.get(newest.key)))?.text();
}

export async function listNewest(bucket: R2Bucket): Promise<R2Object | undefined> {
  const include: R2ListOptions['include'] = ['customMetadata'];
  const { objects } = await bucket.list({ prefix: checkpointPrefix, limit: 1, include });
  return objects[0];
}

/** Throws an Error if there is none, but a log whose beginning was lost. */
async function readCheckpoint(bucket: R2Bucket) {
  const found = await findCheckpoint(bucket);
  if (found !== undefined) return parseCheckpoint(found);
  const { objects } = await bucket.list({ prefix: logPrefix, limit: 1 });
  if (objects.length > 0 && !(await bucket.head(nextKey(0)))) {
    throw new Error(`the log has lost its checkpoints and ${nextKey(0)}`);
  }
  return undefined;
}

const nextKey = (size: number) => `${logPrefix}next/${size}`;

const linesIn = (bytes: Bytes): Bytes[] => (textOf(bytes).match(/.*\n/g) ?? []).map(bytesOf);

async function newLeaves(bucket: R2Bucket, size: number): Promise<Bytes> {
  const lastDays = await readLastDays(bucket, size);
  const days = await Promise.all(
    listNames.map((list) => Array.fromAsync(listDays(bucket, list, lastDays.get(list)))),
  );
  const leaves = days
    .flat()
    .flatMap((day) => ('missing' in day ? [] : day))
    .sort((a, b) => (a.day + a.list < b.day + b.list ? -1 : 1))
    .map(({ list, day, etag, sha256, count }) => `${list} ${day} ${etag} ${sha256} ${count}\n`);
  return bytesOf(leaves.join(''));
}

/** Reads the log's leaves from the end until all lists are found. */
async function readLastDays(bucket: R2Bucket, size: number): Promise<Map<string, string>> {
  const days = new Map<string, string>();
  for (const path of bundlesOf(size).reverse()) {
    if (listNames.every((list) => days.has(list))) break;
    for (const entry of (await readBundle(bucket, path)).reverse()) {
      const [list, day] = textOf(entry).split(' ') as [string, string];
      if (!days.has(list)) days.set(list, day);
    }
  }
  return days;
}

async function readBundle(bucket: R2Bucket, path: string): Promise<Bytes[]> {
  const bytes = await readObject(bucket, logPrefix + path);
  if (!bytes) throw new Error(`the log has lost ${logPrefix}${path}`);
  return unbundle(bytes);
}

async function readObject(bucket: R2Bucket, key: string): Promise<Bytes | undefined> {
  const object = await bucket.get(key);
  return object ? bytesIn(object) : undefined;
}

const bytesIn = async (object: R2ObjectBody): Promise<Bytes> =>
  new Uint8Array(await object.arrayBuffer());

async function putTile(bucket: R2Bucket, { path, content }: Tile, toBytes: typeof bundle) {
  const key = logPrefix + path;
  const bytes = toBytes(content);
  if (!isSame(await putFirst(bucket, key, bytes), bytes)) throw unlike(key);
}

const unlike = (key: string) => new Error(`${key} is there, and is not what the log would put`);

/** Returns what the key has afterwards. */
async function putFirst(
  bucket: R2Bucket,
  key: string,
  value: Bytes,
  customMetadata: Record<string, string> = {},
): Promise<Bytes> {
  // Reading what an earlier run has put costs less than putting it again.
  const there =
    (await bucket.get(key)) ?? (await putUnlessThere(bucket, key, value, { customMetadata }));
  return there ? bytesIn(there) : value;
}
