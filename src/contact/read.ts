import { and, eq, type SQL, sql } from 'drizzle-orm';
import { contacts } from '../../drizzle/schema.ts';
import type { Database } from '../database/open.ts';
import { retried } from '../database/retry.ts';
import type { Person } from '../registrant/token.ts';
import { type Login, readWithLogin } from '../registrar/login.ts';
import { asciiLowerCase, asciiUpperCase } from '../text/ascii-case.ts';
import { type Contact, theContact } from './contact.ts';
import { identityKey } from './identity-code.ts';

/** The registrar's contact with this code, ignoring case. One round trip. Throws `not_found`. */
export async function getContact(db: Database, login: Login, code: string): Promise<Contact> {
  const [, rows] = await readWithLogin(db, login, (registrarId) => [
    contactByCode(db, registrarId, code),
  ]);
  return theContact(rows);
}

/** The person's contact with this UUID. One round trip. Throws `not_found`. */
export async function getContactOfPerson(
  db: Database,
  person: Person,
  uuid: string,
): Promise<Contact> {
  return theContact(await retried(() => contactOfPerson(db, person, uuid)));
}

/** The query for the registrar's contact with a code. */
export function contactByCode(db: Database, registrarId: SQL<number>, code: string) {
  return db
    .select()
    .from(contacts)
    .where(and(eq(contacts.code, asciiUpperCase(code)), eq(contacts.registrarId, registrarId)));
}

/** The query for the person's contact with a UUID. */
export function contactOfPerson(db: Database, person: Person, uuid: string) {
  return db
    .select()
    .from(contacts)
    .where(and(eq(contacts.uuid, asciiLowerCase(uuid)), isPersons(person)));
}

/** The condition that a contact, of any registrar, has the person's identity. */
export function isPersons(person: Person): SQL | undefined {
  return and(
    eq(contacts.identCountryCode, person.countryCode),
    // A literal, because with a bound value SQLite would not choose the partial index.
    sql`${contacts.identType} = 'priv'`,
    eq(contacts.identKey, identityKey(person.code)),
  );
}
