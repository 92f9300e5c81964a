import { onFirstUseOf } from '../../on-first-use.ts';
import type { OpenBlock } from '../format/block.ts';
import type { BrowsedName } from '../format/entry.ts';
import type { Head } from '../format/head.ts';
import type { Steps } from '../format/steps.ts';
import type { ListName } from '../lists.ts';
import { Cache } from './cache.ts';

/** The time for which an isolate answers from memory before it reads KV again. */
const freshMilliseconds = 5_000;

/** A list as an isolate has last seen it. */
interface Seen {
  etag: string;
  /** Undefined if the list was built from the database. */
  head: Head | undefined;
  /** ISO 8601; undefined in the same case. */
  publishedAt?: string | undefined;
  freshUntil: number;
}

/**
 * An isolate remembers at most 16 MiB of the lists. The heads that it has read take the rest: that of 5,000,000 names
 * takes a tenth of a MiB.
 */
const mebibyte = 1024 * 1024;
const maximumListBytes = 12 * mebibyte;
const maximumPartBytes = 3 * mebibyte;

export interface Whole {
  etag: string;
  body: Uint8Array<ArrayBuffer>;
}

/** Everything that an isolate remembers of the lists in one KV namespace. */
export class Memory {
  readonly #seen = new Map<ListName, Seen>();
  readonly lists = new Cache<{
    /** In gzip, by list and ETag. */
    body: Uint8Array<ArrayBuffer>;
    /** Every name of a list, by list and ETag. */
    names: readonly BrowsedName[];
    /** By their keys in KV. */
    steps: Steps;
  }>(maximumListBytes);
  /** Apart, because one client that asks for many names reads many parts, and must not push out the lists. */
  readonly parts = new Cache<{
    /** By their keys in KV. */
    block: OpenBlock;
    /** The text of fragments, by the key of the block and the fragment's first name. */
    fragment: string;
  }>(maximumPartBytes);
  /** When a request began to load a whole list into memory; a request that is cut off never removes its entry. */
  readonly loading = new Map<ListName, number>();
  /** Builds from the database that are under way. */
  readonly builds = new Map<ListName, { built: Promise<Whole>; startedAt: number }>();

  /** The last state seen, however long ago. */
  find(list: ListName): Seen | undefined {
    return this.#seen.get(list);
  }

  findFresh(list: ListName, nowMilliseconds: number): Seen | undefined {
    const seen = this.#seen.get(list);
    return seen && seen.freshUntil > nowMilliseconds ? seen : undefined;
  }

  keep(list: ListName, nowMilliseconds: number, seen: Omit<Seen, 'freshUntil'>): void {
    this.#seen.set(list, { ...seen, freshUntil: nowMilliseconds + freshMilliseconds });
  }

  expire(list: ListName): void {
    const seen = this.#seen.get(list);
    if (seen) seen.freshUntil = 0;
  }
}

/** Shared by all requests of the isolate, because the published lists are the same for all of them. */
export const memoryOf = onFirstUseOf((_: KVNamespace) => new Memory());

/** Makes this isolate read the lists from KV again. */
export function expireCopies(kv: KVNamespace, lists: readonly ListName[]): void {
  for (const list of lists) memoryOf(kv).expire(list);
}
