import { and, desc, eq, lt, type SQL, sql } from 'drizzle-orm';
import { contacts, history } from '../../drizzle/schema.ts';
import { asciiLowerCase, asciiUpperCase } from '../ascii-case.ts';
import type { Database } from '../database/open.ts';
import { retried } from '../database/retry.ts';
import type { Page } from '../page.ts';
import type { Person } from '../registrant/token.ts';
import { type Login, readWithLogin } from '../registrar/login.ts';
import { theContact } from './contact.ts';
import { contactByCode, contactOfPerson, isPersons } from './read.ts';

/** What happened to the registrar's contact, the newest first. One round trip. Throws `not_found`. */
export async function listContactHistory(db: Database, login: Login, code: string, page: Page) {
  const [, rows, entries] = await readWithLogin(db, login, (registrarId) => [
    contactByCode(db, registrarId, code),
    historyOf(
      db,
      and(eq(contacts.code, asciiUpperCase(code)), eq(contacts.registrarId, registrarId)),
      page,
    ),
  ]);
  theContact(rows);
  return entries;
}

/** What happened to the person's contact, the newest first. One round trip. Throws `not_found`. */
export async function listHistoryOfPerson(db: Database, person: Person, uuid: string, page: Page) {
  const isTheirs = and(eq(contacts.uuid, asciiLowerCase(uuid)), isPersons(person));
  const [rows, entries] = await retried(() =>
    db.batch([contactOfPerson(db, person, uuid), historyOf(db, isTheirs, page)]),
  );
  theContact(rows);
  return entries;
}

/** Selects by code and UUID, so that the history of an earlier contact with the same code is not shown. */
function historyOf(db: Database, isContact: SQL | undefined, { limit, offset, after }: Page) {
  const column = (name: 'code' | 'uuid') =>
    sql`(select ${sql.raw(name)} from ${contacts} where ${isContact})`;
  return db
    .select()
    .from(history)
    .where(
      and(
        eq(history.subject, 'contact'),
        eq(history.subjectKey, column('code')),
        eq(history.subjectUuid, column('uuid')),
        after === undefined ? undefined : lt(history.id, after),
      ),
    )
    .orderBy(desc(history.id))
    .limit(limit)
    .offset(offset);
}
