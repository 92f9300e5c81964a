import type { Database } from '../../../base/database/open.ts';
import { readPublished } from '../../kv.ts';
import { listNames } from '../../lists.ts';
import { isBehind, readSource } from '../source.ts';

export async function listStatus(db: Database, kv: KVNamespace, now: Date) {
  const [source, published] = await Promise.all([readSource(db, now), readPublished(kv)]);
  return listNames.map((list) => ({
    list,
    published: published.get(list),
    isBehind: isBehind({ list, inKv: published.get(list) }, source),
  }));
}
