import { and, eq, type SQL, sql } from 'drizzle-orm';
import { contacts } from '../../drizzle/schema.ts';
import type { Database } from '../database.ts';
import { RegistryError } from '../error.ts';
import type { Person } from '../registrant.ts';
import { type ApiUser, type Login, withLogin } from '../registrar.ts';

export type Contact = typeof contacts.$inferSelect;

/** In the words of RFC 5733: the stored statuses, or `ok`; and `linked` where a domain refers to the contact. */
export function statusesOf(contact: Pick<Contact, 'statuses' | 'domainCount'>): string[] {
  const stored: string[] = contact.statuses.length > 0 ? contact.statuses : ['ok'];
  return contact.domainCount > 0 ? [...stored, 'linked'] : stored;
}

/** The registrar's contact with this code, in either case. One round trip. Throws `not_found`. */
export async function getContact(db: Database, login: Login, code: string): Promise<Contact> {
  const [, contact] = await loadContact(db, login, code);
  return contact;
}

/** As `getContact`, with the caller. */
export async function loadContact(
  db: Database,
  login: Login,
  code: string,
): Promise<[ApiUser, Contact]> {
  const [caller, rows] = await withLogin(db, login, (registrarId) => [
    db
      .select()
      .from(contacts)
      .where(and(eq(contacts.code, code.toUpperCase()), eq(contacts.registrarId, registrarId))),
  ]);
  return [caller, found(rows[0])];
}

/** The person's contact with this UUID. One round trip. Throws `not_found`. */
export async function getContactOfPerson(db: Database, person: Person, uuid: string) {
  const [contact] = await db
    .select()
    .from(contacts)
    .where(and(eq(contacts.uuid, uuid.toLowerCase()), isPersons(person)));
  return found(contact);
}

/** Owned by the person: identity of theirs, whatever the registrar. */
export function isPersons(person: Person): SQL | undefined {
  return and(
    eq(contacts.identCountryCode, person.countryCode),
    // As a literal: a bound value would not let the partial index be chosen.
    sql`${contacts.identType} = 'priv'`,
    eq(contacts.ident, person.code),
  );
}

function found(contact: Contact | undefined): Contact {
  if (!contact) throw new RegistryError('not_found', 'Object does not exist');
  return contact;
}
