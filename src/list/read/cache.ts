/** Drops the values that were used least recently when together they exceed the maximum. */
export class Cache<Kinds> {
  readonly #items = new Map<string, { value: Kinds[keyof Kinds]; bytes: number }>();
  readonly #maximumBytes: number;
  #bytes = 0;

  constructor(maximumBytes: number) {
    this.#maximumBytes = maximumBytes;
  }

  fits(bytes: number): boolean {
    return bytes <= this.#maximumBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  find<Kind extends keyof Kinds & string>(kind: Kind, key: string): Kinds[Kind] | undefined {
    const id = `${kind} ${key}`;
    const item = this.#items.get(id);
    if (!item) return undefined;
    // A map is in the order of insertion: the last one was used most recently.
    this.#items.delete(id);
    this.#items.set(id, item);
    return item.value as Kinds[Kind];
  }

  /** Unless the value alone is too large. */
  keep<Kind extends keyof Kinds & string>(
    kind: Kind,
    key: string,
    value: Kinds[Kind],
    bytes: number,
  ): void {
    const id = `${kind} ${key}`;
    this.#remove(id);
    if (!this.fits(bytes)) return;
    for (const oldest of this.#items.keys()) {
      if (this.fits(this.#bytes + bytes)) break;
      this.#remove(oldest);
    }
    this.#items.set(id, { value, bytes });
    this.#bytes += bytes;
  }

  #remove(id: string): void {
    this.#bytes -= this.#items.get(id)?.bytes ?? 0;
    this.#items.delete(id);
  }
}
