/**
 * For bodies, blocks, changes and names together. An isolate remembers at most 16 MiB of the lists; the rest is for the
 * heads that it has read, of which that of 5,000,000 names takes a tenth of a MiB.
 */
const maximumBytes = 15 * 1024 * 1024;

/** Limits what several shelves hold together. When the limit is reached, what was used least recently is dropped. */
export class Budget {
  readonly #items = new Map<object, { bytes: number; forget: () => void }>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  touch(item: object): void {
    const kept = this.#items.get(item);
    if (!kept) return;
    this.#items.delete(item);
    this.#items.set(item, kept);
  }

  add(item: object, bytes: number, forget: () => void): void {
    for (const [oldest, { forget }] of this.#items) {
      if (this.#bytes + bytes <= maximumBytes) break;
      forget();
      this.remove(oldest);
    }
    this.#items.set(item, { bytes, forget });
    this.#bytes += bytes;
  }

  remove(item: object): void {
    this.#bytes -= this.#items.get(item)?.bytes ?? 0;
    this.#items.delete(item);
  }
}

export function fitsMemory(bytes: number): boolean {
  return bytes <= maximumBytes;
}

/** Values of one kind, by key, within a budget that several shelves share. */
export class Shelf<Value> {
  readonly #items = new Map<string, { value: Value }>();
  readonly #budget: Budget;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  find(key: string): Value | undefined {
    const item = this.#items.get(key);
    if (!item) return undefined;
    this.#budget.touch(item);
    return item.value;
  }

  /** Keeps the value, unless it alone exceeds the budget. */
  keep(key: string, value: Value, bytes: number): void {
    const old = this.#items.get(key);
    if (old) this.#budget.remove(old);
    this.#items.delete(key);
    if (!fitsMemory(bytes)) return;
    const item = { value };
    this.#items.set(key, item);
    this.#budget.add(item, bytes, () => this.#items.delete(key));
  }
}
