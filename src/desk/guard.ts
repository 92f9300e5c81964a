import type { deskLooks } from '../../drizzle/schema.ts';
import type { Env } from '../base/env.ts';

export type DeskLook = Pick<typeof deskLooks.$inferSelect, 'subject' | 'key'>;

/** The only statement that writes. */
const insertion = `insert into desk_looks (looked_at, looked_by, subject, key)
  select ?, ?, value ->> 'subject', value ->> 'key' from json_each(?)`;

/** Throws an Error if the looks cannot be recorded. */
export async function recordLooks(
  db: Pick<D1Database, 'prepare'>,
  looks: readonly DeskLook[],
  by: string,
  at: Date,
): Promise<void> {
  if (looks.length === 0) return;
  await db.prepare(insertion).bind(at.toISOString(), by, JSON.stringify(looks)).run();
}

/** The bindings without anything that writes. The one exception is the insertion of looks. */
export function readOnly<Bindings extends Pick<Env, 'DB' | 'LISTS'>>(env: Bindings): Bindings {
  const { DB, LISTS } = env;
  const prepare: D1Database['prepare'] = (sql) => {
    if (sql === insertion || isSelect(sql)) return DB.prepare(sql);
    throw new Error('the desk only reads');
  };
  const batch: D1Database['batch'] = (statements) => DB.batch(statements);
  return {
    ...env,
    DB: { prepare, batch } as D1Database,
    LISTS: { get: LISTS.get.bind(LISTS), list: LISTS.list.bind(LISTS) } as KVNamespace,
  };
}

const quotedOrComment = /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;
/** Words that write, the end of a statement, and first letters of variables, whose names may contain quotation marks. */
const forbidden = /[;$@#:]|\b(?:into|update|delete)\b/i;

/** Whether it is one statement, and reads. After `with`, SQLite writes only with one of the words above. */
export function isSelect(sql: string): boolean {
  const text = sql.replace(quotedOrComment, ' ');
  return /^\s*(?:select|with)\b/i.test(text) && !forbidden.test(text);
}
