import { and, desc, eq, gte, lt, type SQL, sql } from 'drizzle-orm';
import { contacts, history, registrars } from '../../drizzle/schema.ts';
import type { Database } from '../base/database/open.ts';
import type { Page } from '../base/database/paging.ts';
import { retry } from '../base/database/retry.ts';
import { RegistryError } from '../base/error.ts';
import { asciiLowerCase, asciiUpperCase } from '../base/text/ascii-case.ts';
import type { Person } from '../party/registrant/token.ts';
import { type Login, readWithLogin } from '../party/registrar/login.ts';
import { type Contact, theContact } from './contact.ts';
import {
  conditionsByCode,
  sameIdentitySince,
  withoutFormerPerson,
  withoutOthersChecks,
} from './entries.ts';
import { identityKey } from './identity-code.ts';

/** Ignores the case of the code. One round trip. Throws `not_found`. */
export async function getContact(db: Database, login: Login, code: string): Promise<Contact> {
  const [, rows] = await readWithLogin(db, login, (registrarId) => [
    contactByCode(db, registrarId, code),
  ]);
  return theContact(rows);
}

/** One round trip. Throws `not_found`. */
export async function getContactOfPerson(
  db: Database,
  person: Person,
  uuid: string,
): Promise<Contact> {
  return theContact(await retry(() => contactOfPerson(db, person, uuid)));
}

export function contactByCode(db: Database, registrarId: SQL<number>, code: string) {
  return db
    .select()
    .from(contacts)
    .where(and(eq(contacts.code, asciiUpperCase(code)), eq(contacts.registrarId, registrarId)));
}

function contactOfPerson(db: Database, person: Person, uuid: string) {
  return db.select().from(contacts).where(isContactOfPerson(person, uuid));
}

export function isContactOfPerson(person: Person, uuid: string): SQL | undefined {
  return and(eq(contacts.uuid, asciiLowerCase(uuid)), isPersons(person));
}

export function isPersons(person: Person): SQL | undefined {
  return and(
    eq(contacts.identCountryCode, person.countryCode),
    // A literal: with a bound value SQLite would not use the partial index.
    sql`${contacts.identType} = 'priv'`,
    eq(contacts.identKey, identityKey(person.code)),
  );
}

/**
 * Lists the history of the last contact with the code, newest first, even if it is deleted. One round trip. Throws
 * `not_found`.
 */
export async function listContactHistory(db: Database, login: Login, code: string, page: Page) {
  const key = asciiUpperCase(code);
  const [caller, [subject], entries] = await readWithLogin(db, login, (registrarId) => {
    const uuid = uuidOfLast(registrarId, key);
    return [
      db.select({ uuid }).from(sql`(select 1)`),
      historyOf(db, { code: sql`${key}`, uuid }, page),
    ];
  });
  if (!subject?.uuid) throw new RegistryError('not_found', 'Object does not exist');
  return entries.map((entry) => withoutOthersChecks(entry, caller.registrarCode));
}

/**
 * Selects the registrar's contact with this code, or else its last former one; null without either. The newest creation
 * or deletion names the owner.
 */
function uuidOfLast(registrarId: SQL<number>, code: string): SQL<string | null> {
  const owner = sql`ifnull(
    (select registrar_id from ${contacts} where uuid = last.subject_uuid),
    (select id from ${registrars} where code = (
      select registrar from ${history} as entry
      where entry.subject = 'contact' and entry.action <> 'update'
        and entry.subject_uuid = last.subject_uuid
      order by entry.id desc limit 1)))`;
  return sql<string | null>`coalesce(
    (select uuid from ${contacts} where code = ${code} and registrar_id = ${registrarId}),
    (select subject_uuid from ${history} as last
      where subject = 'contact' and subject_key = ${code} and action <> 'update'
        and ${owner} = ${registrarId}
      order by id desc limit 1))`;
}

/** Lists the history since the contact became the person's, newest first. One round trip. Throws `not_found`. */
export async function listHistoryOfPerson(db: Database, person: Person, uuid: string, page: Page) {
  const isTheirs = isContactOfPerson(person, uuid);
  // Null for another person's contact, and no entry has that code.
  const itsCode = sql`(select code from ${contacts} where ${isTheirs})`;
  const itsUuid = sql`${asciiLowerCase(uuid)}`;
  const [rows, entries] = await retry(() =>
    db.batch([
      contactOfPerson(db, person, uuid),
      historyOf(
        db,
        { code: itsCode, uuid: itsUuid },
        page,
        gte(history.id, sameIdentitySince(itsUuid)),
      ),
    ]),
  );
  theContact(rows);
  return entries.map((entry) => withoutFormerPerson(entry));
}

function historyOf(
  db: Database,
  { code, uuid }: { code: SQL; uuid: SQL },
  { limit, offset, after }: Page,
  isShown?: SQL,
) {
  const isOnPage = after === undefined ? undefined : lt(history.id, after);
  const entriesAbout = (isAbout: SQL) =>
    db
      .select()
      .from(history)
      .where(and(isAbout, isOnPage, isShown));
  const { underCode, underOthers } = conditionsByCode(uuid, code);
  return entriesAbout(underCode)
    .unionAll(entriesAbout(underOthers))
    .orderBy(desc(history.id))
    .limit(limit)
    .offset(offset);
}
