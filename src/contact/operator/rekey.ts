import { and, asc, gt, sql } from 'drizzle-orm';
import { contacts, formerContacts } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { nameKey } from '../../base/text/search-key.ts';
import { keysOf } from '../contact.ts';

/** The rows of one statement: their keys stay far below D1's limit of a parameter. */
const rowsAtOnce = 2_000;

export interface Renewed {
  /** Undefined after the last rows. */
  last: number | undefined;
  /** Keys that were not those of this release. */
  count: number;
}

/** Renews the keys of the next contacts whose values are not their own keys. May be repeated. */
export async function renewContactKeys(
  db: Database,
  after: number,
  { isDryRun = false } = {},
): Promise<Renewed> {
  const { id, name, email, ident, nameKey, emailKey, identKey } = contacts;
  const hasKeys = sql`(${name} glob '*[^ -~]*' or ${email} glob '*[^ -~]*' or ${ident} glob '*[^0-9A-Za-z]*')`;
  const rows = await db
    .select({ id, name, email, ident, nameKey, emailKey, identKey })
    .from(contacts)
    .where(and(gt(id, after), hasKeys))
    .orderBy(asc(id))
    .limit(rowsAtOnce);
  const renewed = rows.flatMap(({ nameKey, emailKey, identKey, ...row }) => {
    const keys = keysOf(row);
    const isSame =
      keys.nameKey === nameKey && keys.emailKey === emailKey && keys.identKey === identKey;
    return isSame ? [] : { ...row, ...keys };
  });
  // What somebody changed meanwhile has the keys of who changed it.
  if (renewed.length > 0 && !isDryRun) {
    await db.run(sql`update ${contacts}
      set name_key = value ->> 'nameKey', email_key = value ->> 'emailKey', ident_key = value ->> 'identKey'
      from json_each(${JSON.stringify(renewed)}) as renewed
      where ${id} = value ->> 'id' and name = value ->> 'name' and email = value ->> 'email' and ident = value ->> 'ident'`);
  }
  return { last: placeAfter(rows), count: renewed.length };
}

/** Renews the keys of the next former contacts, whose names are in the history. May be repeated. */
export async function renewFormerKeys(
  db: Database,
  after: number,
  { isDryRun = false } = {},
): Promise<Renewed> {
  const rows = await db.all<{ id: number; key: string; name: string | null }>(sql`
    select id, name_key as "key", (
      select changes ->> '$.name.from' from history indexed by history_of_contact
        where subject_uuid = former.uuid and subject = 'contact' and action <> 'update' and action = 'delete' order by id desc limit 1
    ) as name
    from ${formerContacts} as former where id > ${after} order by id limit ${rowsAtOnce}`);
  const renewed = rows.flatMap(({ id, key, name }) => {
    return name === null || nameKey(name) === key ? [] : { id, key, renewed: nameKey(name) };
  });
  if (renewed.length > 0 && !isDryRun) {
    await db.run(sql`update ${formerContacts} set name_key = value ->> 'renewed'
      from json_each(${JSON.stringify(renewed)}) as renewed
      where ${formerContacts.id} = value ->> 'id' and name_key = value ->> 'key'`);
  }
  return { last: placeAfter(rows), count: renewed.length };
}

const placeAfter = (rows: readonly { id: number }[]) =>
  rows.length < rowsAtOnce ? undefined : rows.at(-1)!.id;
