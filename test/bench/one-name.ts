import { openDatabase } from '../../src/base/database/open.ts';
import type { Env } from '../../src/base/env.ts';
import { headKey, readPublished } from '../../src/list/kv.ts';
import { listNames, retainedList } from '../../src/list/lists.ts';
import { publish } from '../../src/list/publish/publish.ts';
import { counted } from '../support/counted.ts';

/** The cost of publishing, in the platform's units, and the bytes that went to KV. */
export interface PublishingCost {
  rowsRead: number;
  puts: number;
  putBytes: number;
  largestPut: number;
}

export async function costOfPublishing(env: Env): Promise<PublishingCost> {
  const { env: counting, counts } = counted(env);
  let [putBytes, largestPut] = [0, 0];
  const kv = new Proxy(counting.LISTS, {
    get(target, name: keyof KVNamespace) {
      if (name !== 'put') return target[name];
      return (key: string, value: Uint8Array, options: KVNamespacePutOptions) => {
        putBytes += value.byteLength;
        largestPut = Math.max(largestPut, value.byteLength);
        return target.put(key, value, options);
      };
    },
  });
  await publish(openDatabase(counting.DB), kv, listNames, () => new Date());
  return { rowsRead: counts.rowsRead, puts: counts.kvWrites, putBytes, largestPut };
}

/** The same after one reserved name was added. */
export async function costOfOneName(env: Env, name: string): Promise<PublishingCost> {
  await env.DB.prepare(
    "insert into retained_domains (name, punycode, status, created_at) values (?1, ?1, 'reserved', '')",
  )
    .bind(name)
    .run();
  return costOfPublishing(env);
}

/** Bytes of the value that says what a list is. */
export async function headBytes({ LISTS }: Env): Promise<number> {
  return (await LISTS.get(headKey(retainedList), 'arrayBuffer'))!.byteLength;
}

/** Bytes of the whole list, compressed. */
export async function wholeBytes({ LISTS }: Env): Promise<number> {
  return (await readPublished(LISTS)).get(retainedList)!.bytes;
}
