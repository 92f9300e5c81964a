import { and, asc, eq, gt, gte, type SQL, sql } from 'drizzle-orm';
import {
  contacts,
  deletedIdentity,
  domainContacts,
  domains,
  history,
  registrars,
} from '../../drizzle/schema.ts';
import { everyPage } from '../database/every-page.ts';
import type { Database } from '../database/open.ts';
import { retried } from '../database/retry.ts';
import type { Person } from '../registrant/token.ts';
import type { Contact } from './contact.ts';
import { identityKey } from './identity-code.ts';
import { isPersons } from './read.ts';

type Entry = typeof history.$inferSelect;

/** The data about a person in one contact: iterate over the domains first, then over the history. */
export interface PersonalContact {
  contact: Contact;
  registrar: { code: string; name: string };
  /** The domains that refer to the contact. */
  domains: AsyncIterable<{ name: string; role: string }>;
  /** The oldest entry first. */
  history: AsyncIterable<{ entry: Entry }>;
}

/** An entry of history may have some 8 KB. */
const pageRows = 200;

/**
 * Everything that is kept about the person at every registrar, in the order of the contacts' ids. It is read in pages
 * as it is iterated over, so it takes as little memory for a thousand contacts as for ten.
 */
export async function* listPersonalData(
  db: Database,
  person: Person,
): AsyncGenerator<PersonalContact, void> {
  const domainsOf = byContact(everyDomain(db, person));
  const historyOf = byContact(everyEntry(db, person));
  for await (const { contact, registrar } of everyContact(db, person)) {
    const { id } = contact;
    yield { contact, registrar, domains: domainsOf(id), history: historyOf(id) };
  }
}

/** The data about a person that is left of a deleted contact. */
export interface DeletedContact {
  code: string;
  uuid: string | null;
  /** The oldest entry first; it is there until its values are removed. */
  history: AsyncIterable<{ entry: Entry }>;
}

/** The data that is left of the person's deleted contacts, in the order of their deletions, as `listPersonalData`. */
export async function* listDeletedPersonalData(
  db: Database,
  person: Person,
): AsyncGenerator<DeletedContact, void> {
  const historyOf = byContact(everyEntryOfDeleted(db, person));
  for await (const { id, code, uuid } of everyDeletion(db, person)) {
    yield { code, uuid, history: historyOf(id) };
  }
}

interface ContactRow {
  contact: Contact;
  registrar: { code: string; name: string };
}

function everyContact(db: Database, person: Person) {
  const registrar = { code: registrars.code, name: registrars.name };
  return everyPage<ContactRow>(pageRows, (after, limit) =>
    retried(() =>
      db
        .select({ contact: contacts, registrar })
        .from(contacts)
        .innerJoin(registrars, eq(registrars.id, contacts.registrarId))
        .where(and(isPersons(person), gt(contacts.id, after?.contact.id ?? 0)))
        .orderBy(asc(contacts.id))
        .limit(limit),
    ),
  );
}

interface DomainRow {
  contactId: number;
  domainId: number;
  name: string;
  role: string;
}

function everyDomain(db: Database, person: Person) {
  const { domainId, contactId, role } = domainContacts;
  return everyPage<DomainRow>(pageRows, (after, limit) =>
    retried(() =>
      db
        .select({ contactId, domainId, name: domains.name, role })
        .from(contacts)
        // SQLite keeps the order of cross joins: the person's few contacts come first.
        .crossJoin(domainContacts)
        .crossJoin(domains)
        .where(
          and(
            isPersons(person),
            eq(contactId, contacts.id),
            eq(domains.id, domainId),
            after && gte(contacts.id, after.contactId),
            after &&
              sql`(${contactId}, ${domainId}, ${role}) > (${after.contactId}, ${after.domainId}, ${after.role})`,
          ),
        )
        .orderBy(asc(contacts.id), asc(domainId), asc(role))
        .limit(limit),
    ),
  );
}

interface EntryRow {
  contactId: number;
  entry: Entry;
}

function everyEntry(db: Database, person: Person) {
  return everyPage<EntryRow>(pageRows, (after, limit) =>
    retried(() =>
      db
        .select({ contactId: contacts.id, entry: history })
        .from(contacts)
        .crossJoin(history)
        .where(and(isPersons(person), isEntryOf(after)))
        .orderBy(asc(contacts.id), asc(history.id))
        .limit(limit),
    ),
  );
}

/** Whether an entry is one of the contact's, after the place in the history of the same contact. */
function isEntryOf(after: EntryRow | undefined): SQL | undefined {
  return and(
    eq(history.subject, 'contact'),
    eq(history.subjectKey, contacts.code),
    eq(history.subjectUuid, contacts.uuid),
    after && gte(contacts.id, after.contactId),
    after && sql`${history.id} > iif(${contacts.id} = ${after.contactId}, ${after.entry.id}, 0)`,
  );
}

interface Deletion {
  id: number;
  code: string;
  uuid: string | null;
}

function everyDeletion(db: Database, person: Person) {
  const { id, subjectKey: code, subjectUuid: uuid } = history;
  return everyPage<Deletion>(pageRows, (after, limit) =>
    retried(() =>
      db
        .select({ id, code, uuid })
        .from(history)
        .where(and(isDeletionOf(person), gt(id, after?.id ?? 0)))
        .orderBy(asc(id))
        .limit(limit),
    ),
  );
}

function everyEntryOfDeleted(db: Database, person: Person) {
  const deletions = db
    .select({ id: history.id, code: history.subjectKey, uuid: history.subjectUuid })
    .from(history)
    .where(isDeletionOf(person))
    .as('deletions');
  return everyPage<EntryRow>(pageRows, (after, limit) =>
    retried(() =>
      db
        .select({ contactId: deletions.id, entry: history })
        .from(deletions)
        .crossJoin(history)
        .where(
          and(
            eq(history.subject, 'contact'),
            eq(history.subjectKey, deletions.code),
            eq(history.subjectUuid, deletions.uuid),
            after && gte(deletions.id, after.contactId),
            after &&
              sql`${history.id} > iif(${deletions.id} = ${after.contactId}, ${after.entry.id}, 0)`,
          ),
        )
        .orderBy(asc(deletions.id), asc(history.id))
        .limit(limit),
    ),
  );
}

function isDeletionOf({ countryCode, code }: Person): SQL | undefined {
  return and(
    deletedIdentity.isPersons,
    sql`${deletedIdentity.countryCode} = ${countryCode}`,
    sql`${deletedIdentity.key} = ${identityKey(code)}`,
  );
}

/** Divides rows that are in the order of their contacts. The contacts have to be asked for in that order. */
function byContact<Row extends { contactId: number }>(rows: AsyncGenerator<Row, void>) {
  let next: IteratorResult<Row, void> | undefined;
  return async function* rowsOf(contactId: number): AsyncGenerator<Row, void> {
    next ??= await rows.next();
    while (!next.done && next.value.contactId <= contactId) {
      // A contact that was created or deleted meanwhile is in one of the queries only.
      if (next.value.contactId === contactId) yield next.value;
      next = await rows.next();
    }
  };
}
