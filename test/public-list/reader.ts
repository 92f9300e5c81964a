import { newMeter } from '../../src/database/meter.ts';
import { openDatabase } from '../../src/database/open.ts';
import type { Env } from '../../src/env.ts';
import type { Reader } from '../../src/public-list/read/reader.ts';

/** A reader of the bindings that remembers nothing of what others have read; `background` is what it left for later. */
export function newReader({ DB, LISTS }: Env, clock: () => Date) {
  const background: Promise<unknown>[] = [];
  const reader: Reader = {
    db: () => openDatabase(DB),
    // What an isolate remembers belongs to this object.
    kv: new Proxy(LISTS, {
      get(target, name) {
        const value = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    }),
    meter: newMeter(),
    clock,
    later: (work) => background.push(work),
  };
  return { reader, background };
}
