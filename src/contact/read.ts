import { and, eq, type SQL, sql } from 'drizzle-orm';
import { contacts } from '../../drizzle/schema.ts';
import { asciiLowerCase, asciiUpperCase } from '../ascii-case.ts';
import type { Database } from '../database/open.ts';
import { retried } from '../database/retry.ts';
import { RegistryError } from '../error.ts';
import type { Person } from '../registrant/token.ts';
import { type Login, withLogin } from '../registrar/login.ts';
import { identityKey } from './identity.ts';

export type Contact = typeof contacts.$inferSelect;

/** In the words of RFC 5733: the stored statuses, or `ok`; and `linked` where a domain refers to the contact. */
export function statusesOf(contact: Pick<Contact, 'statuses' | 'domainCount'>): string[] {
  const stored: string[] = contact.statuses.length > 0 ? contact.statuses : ['ok'];
  return contact.domainCount > 0 ? [...stored, 'linked'] : stored;
}

/** Differs whenever anything that an interface shows of the contact does: what its entity tag holds. */
export function versionOf({ id, version, domainCount }: Contact): string {
  return `${id}-${version}${domainCount > 0 ? '-linked' : ''}`;
}

/** The registrar's contact with this code, in either case. One round trip. Throws `not_found`. */
export async function getContact(db: Database, login: Login, code: string): Promise<Contact> {
  const [, rows] = await withLogin(db, login, (registrarId) => [
    contactByCode(db, registrarId, code),
  ]);
  return found(rows);
}

/** The person's contact with this UUID. One round trip. Throws `not_found`. */
export async function getContactOfPerson(
  db: Database,
  person: Person,
  uuid: string,
): Promise<Contact> {
  const [rows] = await retried(() => db.batch([contactOfPerson(db, person, uuid)]));
  return found(rows);
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

/** Whether a contact is the person's, whatever its registrar: its identity is theirs. */
export function isPersons(person: Person): SQL | undefined {
  return and(
    eq(contacts.identCountryCode, person.countryCode),
    // As a literal: a bound value would not let the partial index be chosen.
    sql`${contacts.identType} = 'priv'`,
    eq(contacts.identKey, identityKey(person.code)),
  );
}

/** The one row that there is; throws `not_found`. */
export function found([contact]: Contact[]): Contact {
  if (!contact) throw new RegistryError('not_found', 'Object does not exist');
  return contact;
}
