import { and, eq, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { contacts, registrars } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { selectContacts } from '../contact.ts';
import { isPerhapsSamePerson } from '../same-person.ts';

const maximumContacts = 200;

/** Lists at most 200 contacts that the person who has this one may have, at any registrar, with this one. */
export function listContactsOfPerson(db: Database, uuid: string) {
  const one = alias(contacts, 'one');
  // The index of identity codes begins with the registrar.
  const isOfAny = sql`${contacts.registrarId} in (select id from ${registrars})`;
  return selectContacts(db)
    .innerJoin(one, isPerhapsSamePerson(contacts, one))
    .where(and(eq(one.uuid, uuid), isOfAny))
    .limit(maximumContacts);
}
