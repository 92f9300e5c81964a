import { onFirstUseOf } from '../../base/on-first-use.ts';
import { isRecent } from '../../base/time/clock.ts';
import type { OpenBlock } from '../format/block.ts';
import type { BrowsedName } from '../format/entry.ts';
import type { Head } from '../format/head.ts';
import type { Steps } from '../format/steps.ts';
import type { ListName } from '../lists.ts';
import { Cache } from './cache.ts';

const freshMilliseconds = 5_000;

interface Seen {
  etag: string;
  /** Undefined, like `publishedAt`, if the list was built from the database. */
  head: Head | undefined;
  publishedAt?: string | undefined;
  seenAt: number;
}

/** An isolate remembers at most 15 MiB of the lists, and their heads. */
const mebibyte = 1024 * 1024;
const maximumListBytes = 12 * mebibyte;
const maximumPartBytes = 3 * mebibyte;

export interface Whole {
  etag: string;
  body: Uint8Array<ArrayBuffer>;
}

/** A block whose fragments are still compressed, with its key in KV. */
export interface LoadedBlock extends OpenBlock {
  key: string;
}

export class Memory {
  readonly #seen = new Map<ListName, Seen>();
  readonly lists = new Cache<{
    /** Keys are the list and its ETag; bodies are gzip. */
    body: Uint8Array<ArrayBuffer>;
    /** Keys are the list and its ETag. */
    names: readonly BrowsedName[];
    /** Keys are those of KV. */
    steps: Steps;
  }>(maximumListBytes);
  /** Separate, so that one client that looks up many names cannot push out the lists. */
  readonly parts = new Cache<{
    /** Keys are those of KV. */
    block: LoadedBlock;
    /** The text of fragments, by the key of the block and the fragment's first name. */
    fragment: string;
  }>(maximumPartBytes);
  /** When a request began to load a whole list. A cancelled request never removes its entry. */
  readonly loading = new Map<ListName, number>();
  readonly builds = new Map<ListName, { built: Promise<Whole>; startedAt: number }>();

  /** However long ago it was seen. */
  find(list: ListName): Seen | undefined {
    return this.#seen.get(list);
  }

  findFresh(list: ListName, nowMilliseconds: number): Seen | undefined {
    const seen = this.#seen.get(list);
    return seen && isRecent(seen.seenAt, nowMilliseconds, freshMilliseconds) ? seen : undefined;
  }

  keep(list: ListName, nowMilliseconds: number, seen: Omit<Seen, 'seenAt'>): void {
    this.#seen.set(list, { ...seen, seenAt: nowMilliseconds });
  }

  expire(list: ListName): void {
    const seen = this.#seen.get(list);
    if (seen) seen.seenAt = -Infinity;
  }
}

/** Shared by all requests of the isolate, which see the same lists. */
export const memoryOf = onFirstUseOf((_: KVNamespace) => new Memory());

export function expireCopies(kv: KVNamespace, lists: readonly ListName[]): void {
  for (const list of lists) memoryOf(kv).expire(list);
}
