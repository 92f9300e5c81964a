import { sql } from 'drizzle-orm';
import { changesIdentity, deletedIdentity } from '../../../drizzle/schema.ts';
import { sha256Hex } from '../../base/bytes/digest.ts';
import { jsonArrays } from '../../base/database/json-rows.ts';
import type { Database } from '../../base/database/open.ts';
import { retry } from '../../base/database/retry.ts';
import type { Contact } from '../contact.ts';
import { isAboutContact, isLastDeletion, keyOfChanged, sameIdentitySince } from '../entries.ts';
import { identityKey } from '../identity-code.ts';
import { hasValues } from '../recorded-values.ts';

/**
 * Finds erased contacts that still have values in the database, the history or disclosures, unless they were created
 * since the erasure by other than moving in, or have become another person's: an interrupted erasure leaves a contact
 * that lives on.
 */
export async function findRestored(
  db: Database,
  erasures: ReadonlyMap<string, string>,
): Promise<Pick<Contact, 'code' | 'uuid'>[]> {
  const isAbout = isAboutContact(sql`erased.uuid`);
  const isCreation = sql`${isAbout} and action = 'create'`;
  const exists = sql`exists (select 1 from contacts where contacts.uuid = erased.uuid)`;
  const isDisclosed = sql`exists (select 1 from disclosures where contact_uuid = erased.uuid)`;
  const queries = jsonArrays(erasures).map((array) =>
    retry(() =>
      db.all<Pick<Contact, 'code' | 'uuid'>>(sql`
        select erased.uuid, coalesce(
          (select code from contacts where contacts.uuid = erased.uuid),
          (select subject_key from history where ${isAbout} order by id desc limit 1),
          (select contact_code from disclosures where contact_uuid = erased.uuid)) as code
        from (select value ->> 0 as uuid, value ->> 1 as at from json_each(${array})) as erased
        where not exists (select 1 from history
          where ${isCreation} and actor_type <> 'move_in' and occurred_at > at)
          and not exists (select 1 from history where id = ${sameIdentitySince(sql`erased.uuid`)}
            and actor_type <> 'move_in' and occurred_at > at)
          and not exists (select 1 from contacts
            where contacts.uuid = erased.uuid and created_at > at
            and not exists (select 1 from history where ${isCreation}))
          and (${exists} or ${isDisclosed} or exists (select 1 from history where ${isAbout}
            and ${hasValues(sql`history.changes`)}))
        order by code`),
    ),
  );
  return (await Promise.all(queries)).flat();
}

/**
 * Distinguishes the few people who have had one contact. The digest is so short that thousands of identity codes match
 * it: trying all of them reveals nobody's code.
 */
export async function formerDigest(uuid: string, ident: string): Promise<string> {
  return (await sha256Hex(`${uuid} ${identityKey(ident)}`)).slice(0, 3);
}

/**
 * Finds erased former persons who still have values in the history or disclosures, or have the contact, unless they got
 * it since the erasure by other than moving in. `ident` is in the form of `identityKey`.
 */
export async function findRestoredFormer(
  db: Database,
  erasures: readonly { uuid: string; digest: string; at: string }[],
): Promise<(Pick<Contact, 'code' | 'uuid'> & { ident: string })[]> {
  const uuid = sql`erased.uuid`;
  const isBefore = sql`(actor_type = 'move_in' or occurred_at <= at)`;
  const isSince = sql`exists (select 1 from history
    where id = ${sameIdentitySince(uuid)} and not ${isBefore})`;
  const queries = jsonArrays(erasures).map((array) =>
    retry(() =>
      db.all<{ code: string; uuid: string; digest: string; ident: string }>(sql`
        with erased as (select value ->> 'uuid' as uuid, value ->> 'digest' as digest, value ->> 'at' as at
          from json_each(${array}))
        select erased.uuid, digest, subject_key as code, ${keyOfChanged('from')} as ident
          from erased join history
          where ${isAboutContact(uuid)} and ${changesIdentity} and ${isBefore}
            and changes ->> '$.ident.from' is not null
        union select erased.uuid, digest, contact_code, ident_key
          from erased join disclosures on contact_uuid = erased.uuid where received_at <= at
        union select erased.uuid, digest, code, ident_key
          from erased join contacts on contacts.uuid = erased.uuid where not ${isSince}
        union select erased.uuid, digest, subject_key, ${deletedIdentity.key}
          from erased join history on subject_uuid = erased.uuid
          where ${isLastDeletion} and not ${isSince} and ${deletedIdentity.key} is not null
        order by code`),
    ),
  );
  const holders = new Map<string, { code: string; uuid: string; ident: string }>();
  for (const { digest, ...holder } of (await Promise.all(queries)).flat()) {
    const { uuid, ident } = holder;
    if ((await formerDigest(uuid, ident)) === digest) holders.set(`${uuid} ${ident}`, holder);
  }
  return [...holders.values()];
}
