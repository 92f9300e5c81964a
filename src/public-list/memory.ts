/**
 * Bodies, blocks and changes together. What the isolate remembers of lists is 16 MiB at most: the rest is for the heads
 * that it has seen, of which a list of 5,000,000 names has a tenth of a MiB.
 */
const maximumBytes = 15 * 1024 * 1024;

/** How much several shelves hold together. Where there is no room, what was not asked for longest is forgotten. */
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

/** Values of one kind by their keys, within a budget that other shelves share. */
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

  /** Keeps the value unless it is larger than the whole budget. */
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
