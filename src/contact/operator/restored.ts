import { sql } from 'drizzle-orm';
import { jsonArrays } from '../../base/database/json-rows.ts';
import type { Database } from '../../base/database/open.ts';
import { retried } from '../../base/database/retry.ts';
import type { Contact } from '../contact.ts';
import { isAboutContact } from '../entries.ts';
import { hasValues } from '../recorded-values.ts';

/**
 * Contacts that were erased at these instants, but that the database, the history or disclosures have values of; not
 * those created since, by other than moving in.
 */
export async function findRestored(
  db: Database,
  erasures: ReadonlyMap<string, string>,
): Promise<Pick<Contact, 'code' | 'uuid'>[]> {
  const isAbout = isAboutContact(sql`erased.uuid`);
  const isCreation = sql`${isAbout} and action = 'create'`;
  const exists = sql`exists (select 1 from contacts where contacts.uuid = erased.uuid)`;
  const isDisclosed = sql`exists (select 1 from disclosures where contact_uuid = erased.uuid)`;
  const found = jsonArrays(erasures).map((array) =>
    retried(() =>
      db.all<Pick<Contact, 'code' | 'uuid'>>(sql`
        select erased.uuid, coalesce(
          (select code from contacts where contacts.uuid = erased.uuid),
          (select subject_key from history where ${isAbout} order by id desc limit 1),
          (select contact_code from disclosures where contact_uuid = erased.uuid)) as code
        from (select value ->> 0 as uuid, value ->> 1 as at from json_each(${array})) as erased
        where not exists (select 1 from history
          where ${isCreation} and actor_type <> 'move_in' and occurred_at > at)
          and not exists (select 1 from contacts
            where contacts.uuid = erased.uuid and created_at > at
            and not exists (select 1 from history where ${isCreation}))
          and (${exists} or ${isDisclosed} or exists (select 1 from history where ${isAbout}
            and ${hasValues(sql`history.changes`)}))
        order by code`),
    ),
  );
  return (await Promise.all(found)).flat();
}
