import type { DailyCounts } from '../daily-counts.ts';
import type { OpenBlock } from '../format/block.ts';
import type { Head } from '../format/head.ts';
import type { Steps } from '../format/steps.ts';
import type { ListName } from '../lists.ts';
import type { BrowsedName } from './browse.ts';
import { Budget, Shelf } from './memory.ts';

/** How long an isolate answers from memory before it reads KV again. */
const freshMilliseconds = 5_000;

/** What an isolate has last seen of a list. */
interface Seen {
  etag: string;
  /** Undefined if the list was built from the database. */
  head: Head | undefined;
  /** ISO 8601; undefined in the same case. */
  publishedAt?: string | undefined;
  freshUntil: number;
}

/** What an isolate remembers of the lists in one KV namespace. */
export class Recollection {
  readonly #seen = new Map<ListName, Seen>();
  readonly budget = new Budget();
  /** Whole lists, compressed, by list and ETag. */
  readonly bodies = new Shelf<Uint8Array<ArrayBuffer>>(this.budget);
  /** By their keys in KV. */
  readonly blocks = new Shelf<OpenBlock>(this.budget);
  readonly steps = new Shelf<Steps>(this.budget);
  /** The text of fragments, by the key of the block and the fragment's first name. */
  readonly fragments = new Shelf<string>(this.budget);
  /** Every name of a list, by list and ETag. */
  readonly names = new Shelf<readonly BrowsedName[]>(this.budget);
  /** The daily counts of the last year, and until when they are used without reading KV again. */
  dailyCounts: { days: readonly DailyCounts[]; freshUntil: number } | undefined;
  /** Work under way that other requests do not start again. */
  readonly marks = new Marks();

  /** What was last seen, however long ago. */
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

/** How long a mark counts: a request that is cut off never removes its mark. */
const markMilliseconds = 30_000;

/** Marks of work under way, by its name. */
class Marks {
  readonly #since = new Map<string, number>();

  has(name: string, nowMilliseconds: number): boolean {
    const since = this.#since.get(name);
    return since !== undefined && nowMilliseconds - since < markMilliseconds;
  }

  set(name: string, nowMilliseconds: number): void {
    this.#since.set(name, nowMilliseconds);
  }

  delete(name: string): void {
    this.#since.delete(name);
  }
}

/** Shared by all requests of the isolate, because what is published is the same for all of them. */
const recollections = new WeakMap<KVNamespace, Recollection>();

export function recollectionOf(kv: KVNamespace): Recollection {
  let recollection = recollections.get(kv);
  if (!recollection) {
    recollection = new Recollection();
    recollections.set(kv, recollection);
  }
  return recollection;
}

/** Makes this isolate read the lists from KV again. */
export function expireCopies(kv: KVNamespace, lists: readonly ListName[]): void {
  for (const list of lists) recollections.get(kv)?.expire(list);
}

/** The list's ETag, if this isolate has read it in the last few seconds. */
export function recallEtag(
  kv: KVNamespace,
  list: ListName,
  nowMilliseconds: number,
): string | undefined {
  return recollections.get(kv)?.findFresh(list, nowMilliseconds)?.etag;
}
