import { type AnyColumn, and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import {
  contacts,
  disclosures,
  type FieldChange,
  history,
  registrars,
  sweeps,
} from '../../../drizzle/schema.ts';
import { isIn } from '../../base/database/json-rows.ts';
import type { Database } from '../../base/database/open.ts';
import { asciiUpperCase } from '../../base/text/ascii-case.ts';
import type { HistoryEntry } from '../../change/history/search.ts';
import { selectContacts } from '../contact.ts';
import { type Identity, identifies, isOfOnePerson, isPerhapsSamePerson } from '../same-person.ts';
import { type ContactDeletion, findDeletedContacts } from './administer.ts';
import {
  type Disclosure,
  hasIdentity,
  listDisclosuresOf,
  listDisclosuresOfIdentity,
} from './disclosure/read.ts';

const maximumContacts = 200;

/** Lists at most 200 contacts that the person who has this one may have, at any registrar, with this one. */
export function listContactsOfSamePerson(db: Database, uuid: string) {
  const one = alias(contacts, 'one');
  return selectContacts(db)
    .innerJoin(one, isPerhapsSamePerson(contacts, one))
    .where(and(eq(one.uuid, uuid), isOfAnyRegistrar))
    .limit(maximumContacts);
}

/** The index of identity codes begins with the registrar. */
const isOfAnyRegistrar = sql`${contacts.registrarId} in (select id from ${registrars})`;

/** True for contacts of the lineages that begin with these ids, a query, at any registrar. */
export function isOfLineagesAnywhere(firstIds: SQL): SQL {
  return sql`${contacts.id} in (
    select id from ${contacts} where ${isOfAnyRegistrar} and copied_from in (${firstIds})
    union ${firstIds})`;
}

/** Lists at most 200 contacts with this identity; of a birthday, of everybody born then. */
export function listContactsWith(
  db: Database,
  { identCountryCode, identKey, identType }: { [Field in keyof Identity]: Identity[Field] | null },
) {
  const isType = sql`(+${contacts.identCountryCode}, +${contacts.identType}) = (${identCountryCode}, ${identType})`;
  return selectContacts(db)
    .where(and(sql`${contacts.identKey} = ${identKey}`, isType, isOfAnyRegistrar))
    .limit(maximumContacts);
}

/** The identity that a contact had when it was deleted; undefined if its values have been removed since. */
export function deletedIdentityOf({ changes }: HistoryEntry): Identity | undefined {
  const { ident, identType, identCountryCode } = changes;
  if (!ident || !('key' in ident) || typeof ident.key !== 'string') return undefined;
  const before = (change: FieldChange | undefined) =>
    change && 'from' in change ? String(change.from) : '';
  return {
    identKey: ident.key,
    identType: before(identType) as Identity['identType'],
    identCountryCode: before(identCountryCode) as Identity['identCountryCode'],
  };
}

/**
 * The newest requests for the data of the person with this identity, whichever contacts had it, and those about persons
 * who had the contact before. Of an identity that many may have, only requests about these contacts count.
 */
export async function listRequestsFor(
  db: Database,
  identity: Identity | undefined,
  uuids: readonly string[],
  limit: number,
): Promise<{ own: Disclosure[]; others: Disclosure[] }> {
  const isOwn = (one: Disclosure) => identity !== undefined && hasIdentity(one, identity);
  const ofContacts = await listDisclosuresOf(db, uuids, limit);
  const own =
    identity !== undefined && isOfOnePerson(identity)
      ? await listDisclosuresOfIdentity(db, identity, limit)
      : ofContacts.filter(isOwn);
  return { own, others: ofContacts.filter((one) => !isOwn(one)) };
}

/** Of these contacts, present or deleted, the UUIDs of those with an identity whose data somebody has asked for. */
export async function findAskedFor(db: Database, uuids: readonly string[]): Promise<Set<string>> {
  const isListed = (uuid: AnyColumn) => isIn(uuid, JSON.stringify(uuids));
  const { identKey, identType, identCountryCode, contactUuid } = disclosures;
  const listed = { identKey: sql`"key"`, identType: sql`type`, identCountryCode: sql`country` };
  const rows = await db.all<{ uuid: string }>(sql`
    with listed (uuid, "key", type, country) as (
      select uuid, ident_key, ident_type, ident_country_code from ${contacts} where ${isListed(contacts.uuid)}
      union all select subject_uuid, changes ->> '$.ident.key', changes ->> '$.identType.from', changes ->> '$.identCountryCode.from'
        from ${history} indexed by history_of_contact
        where subject = 'contact' and action = 'delete' and action <> 'update' and ${isListed(history.subjectUuid)})
    select uuid from listed where exists (select 1 from ${disclosures}
      where ${identKey} = "key" and (+${identType}, +${identCountryCode}) = (type, country)
        and (type = 'birthday' or ${identifies(listed)} or ${contactUuid} = uuid))`);
  return new Set(rows.map(({ uuid }) => uuid));
}

/** Finds contacts that are gone and had this code, with or without prefix, or this UUID. */
export async function findGoneContacts(
  db: Database,
  text: string,
  limit: number,
): Promise<ContactDeletion[]> {
  const code = asciiUpperCase(text);
  const codes = sql`(select ${code} union all select code || ':' || ${code} from ${registrars})`;
  const rows = await db
    .selectDistinct({ uuid: sql<string>`${history.subjectUuid}` })
    .from(history)
    .where(
      and(
        eq(history.subject, 'contact'),
        sql`${inArray(history.subjectKey, codes)} and action = 'delete' and subject_uuid is not null`,
      ),
    )
    .limit(limit);
  return findDeletedContacts(db, [text.toLowerCase(), ...rows.map(({ uuid }) => uuid)]);
}

interface End {
  deletion?: HistoryEntry | undefined;
  removal?: HistoryEntry;
  isErasure?: boolean;
}

/** How a contact ended: its deletion, and the entry of the erasure, if its values were removed by one. */
export async function readEnd(db: Database, entries: readonly HistoryEntry[]): Promise<End> {
  const deletion = entries.find(({ action }) => action === 'delete');
  if (!deletion || !isRemoved(deletion.changes)) return { deletion };
  const later = entries.slice(0, entries.indexOf(deletion));
  const removal = later.find(({ changes }) => isRemoved(changes));
  // The cron removes old values, and tells nobody of which contact.
  const [swept] = await db.select().from(sweeps).where(eq(sweeps.name, 'history_values'));
  return { deletion, removal: removal ?? deletion, isErasure: Boolean(removal) || !swept };
}

const isRemoved = (changes: HistoryEntry['changes']) =>
  ['ident', 'name', 'email'].some((field) => {
    const change = changes[field];
    return change !== undefined && 'removed' in change;
  });
