/** Drops the least recently used values beyond its maximum size. */
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
    // Maps keep the order of insertion, so the last item is the most recently used.
    this.#items.delete(id);
    this.#items.set(id, item);
    return item.value as Kinds[Kind];
  }

  /** Does nothing if the value alone is too large. */
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
