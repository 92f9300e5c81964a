import { gunzipSync } from 'node:zlib';
import { newMeter } from '../../src/base/database/meter.ts';
import { openDatabase } from '../../src/base/database/open.ts';
import type { Env } from '../../src/base/env.ts';
import type { ListName } from '../../src/list/lists.ts';
import { publish } from '../../src/list/publish/publish.ts';
import type { Reader } from '../../src/list/read/parts.ts';
import { readList } from '../../src/list/read/whole-list.ts';
import { withMethods } from './published.ts';

/**
 * A reader of the bindings that remembers nothing of what others have read; `background` is the work that it left for
 * later. A list that it reports is published, once however often it is reported, as the Worker does within half a minute.
 */
export function newReader({ DB, LISTS }: Env, clock: () => Date) {
  const background: Promise<unknown>[] = [];
  const reported = new Set<ListName>();
  const reader: Reader = {
    db: () => openDatabase(DB),
    // The memory of an isolate belongs to this object.
    kv: withMethods(LISTS, {}),
    meter: newMeter(),
    clock,
    later: (work) => background.push(work),
    countAs: async () => {},
    report(list, trouble) {
      if (reported.has(list)) return;
      reported.add(list);
      const isForced = trouble === 'incomplete';
      background.push(publish({ db: openDatabase(DB), kv: LISTS, clock }, [list], { isForced }));
    },
  };
  return { reader, background };
}

/** The list as a client of another isolate gets it. */
export async function readWhole(env: Env, list: ListName, now: Date) {
  const { reader } = newReader(env, () => now);
  const { etag, body } = await readList(list, reader, () => false);
  const bytes = await new Response(body as BodyInit).arrayBuffer();
  return { status: 200, etag, body: gunzipSync(bytes).toString() };
}

/** KV, which fails whenever it is asked for a value. */
export function failingKv({ LISTS }: Env): KVNamespace {
  const get = () => Promise.reject(new Error('KV GET failed: 503'));
  return withMethods(LISTS, { get, getWithMetadata: get });
}

export function failingDatabase({ DB }: Env): D1Database {
  return withMethods(DB, {
    prepare() {
      throw new Error('D1_ERROR: Network connection lost.');
    },
  });
}
