import { hex } from '../../../base/bytes/digest.ts';
import { fromBase64 } from '../../../base/bytes/encoding.ts';
import type { KeptDay } from '../../archive/day.ts';
import { listNewest } from '../append.ts';
import { type Checkpoint, ed25519, keyId, parseCheckpoint, signatureStart } from '../note.ts';
import { isSame, leafHash, rootOf } from '../tree.ts';

/** What the log says about one list and day. */
export interface Leaf extends Pick<KeptDay, 'day' | 'etag' | 'sha256' | 'count'> {
  /** Counted from 0. */
  at: number;
  list: string;
}

/** Throws an Error that says what is wrong with the key or the note. */
export async function openCheckpoint(note: string, verifierKey: string): Promise<Checkpoint> {
  const [name = '', id = ''] = verifierKey.split('+');
  const material = fromBase64(verifierKey.slice(name.length + id.length + 2)) ?? new Uint8Array();
  const idBytes = await keyId(name, material);
  if (material.length !== 33 || material[0] !== ed25519 || id !== hex(idBytes)) {
    throw new Error(`${verifierKey} is not the verifier's key of an Ed25519 key`);
  }
  const end = note.lastIndexOf('\n\n') + 1;
  const text = new TextEncoder().encode(note.slice(0, end));
  const key = await crypto.subtle.importKey('raw', material.slice(1), 'Ed25519', false, ['verify']);
  for (const line of note.slice(end + 1).split('\n')) {
    if (!line.startsWith(`${signatureStart}${name} `)) continue;
    const signature = fromBase64(line.slice(signatureStart.length + name.length + 1));
    if (!signature || !isSame(signature.slice(0, 4), idBytes)) continue;
    if (await crypto.subtle.verify('Ed25519', key, signature.slice(4), text)) {
      const checkpoint = parseCheckpoint(note);
      if (checkpoint.origin === name) return checkpoint;
    }
  }
  throw new Error(`the checkpoint has no valid signature of ${verifierKey}`);
}

/** Proof against the owner of the key, who signed something else before, or signed what is not a log. */
export class Contradiction extends Error {}

/**
 * Checks that a checkpoint signs these entries, which begin with all that an earlier one has signed, and returns what
 * they say. Throws an Error that says what is wrong; a Contradiction where the two checkpoints and the entries prove
 * it.
 */
export async function checkEntries(
  { origin, size, root }: Checkpoint,
  entries: readonly Uint8Array[],
  seen?: Checkpoint,
): Promise<Leaf[]> {
  if (entries.length !== size)
    throw new Error(`the log has lost leaves: ${entries.length} of ${size} are there`);
  const hashes = await Promise.all(entries.map(leafHash));
  if (!isSame(await rootOf(hashes), root)) {
    throw new Error(`the log's ${size} leaves are not those that its checkpoint signs`);
  }
  if (!seen) return leavesIn(entries);
  if (seen.origin !== origin) {
    throw new Error(`the log is ${origin}, and the one seen before was ${seen.origin}`);
  }
  if (seen.size > size) {
    throw new Error(
      `the log has shrunk: it had ${seen.size} leaves, and now has ${size}; this may be an older checkpoint that a cache has kept`,
    );
  }
  if (!isSame(await rootOf(hashes.slice(0, seen.size)), seen.root)) {
    throw new Contradiction(
      `the log is forked: its first ${seen.size} leaves are not those it had before`,
    );
  }
  return leavesIn(entries);
}

const leafForm =
  /^([\x21-\x7e]+) (\d{4}-\d{2}-\d{2}) ([\x21-\x7e]+) ([0-9a-f]{64}) (0|[1-9]\d*)\n$/;

/**
 * Throws a Contradiction if an entry is not a leaf, or a list's days are out of order, so that one could appear twice.
 */
function leavesIn(entries: readonly Uint8Array[]): Leaf[] {
  const last = new Map<string, string>();
  return entries.map((entry, at) => {
    // A byte that is not UTF-8 becomes a character that no leaf has.
    const text = new TextDecoder().decode(entry);
    const [, list, day, etag, sha256, count] = leafForm.exec(text) ?? [];
    if (!list || !day || !etag || !sha256) {
      throw new Contradiction(`leaf ${at} is not about a list and a day: ${JSON.stringify(text)}`);
    }
    if (day <= (last.get(list) ?? '')) {
      throw new Contradiction(
        `leaf ${at} is about ${list} on ${day}, which comes after ${last.get(list)}`,
      );
    }
    last.set(list, day);
    return { at, list, day, etag, sha256, count: Number(count) };
  });
}

/** By one listing; undefined while the log has no checkpoint. */
export async function readLogStatus(bucket: R2Bucket) {
  const { size, keys } = (await listNewest(bucket))?.customMetadata ?? {};
  return size && keys ? { size: Number(size), keys: keys.split(' ') } : undefined;
}
