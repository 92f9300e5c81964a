import { type SQL, sql } from 'drizzle-orm';
import {
  contacts,
  domainContacts,
  domainRoles,
  domains,
  registrations,
} from '../../../drizzle/schema.ts';
import { insertRows, type NewRow, valuesInJson } from '../../base/database/insert-rows.ts';
import { rowsIn } from '../../base/database/json-rows.ts';
import type { Database } from '../../base/database/open.ts';
import { difference } from '../../change/history/changes.ts';
import type { Operation } from '../../change/origin.ts';
import { type ChangesOfMany, changesOfRows } from '../../change/write-many.ts';
import { registrarIdOf } from '../../party/registrar/account.ts';
import type { StoredDomain } from './read.ts';
import { codesOf, contentOf, type DomainRecord, type Parties } from './record.ts';

/**
 * Returns the row, as JSON, with which `domainChanges` makes the domain equal to the record. Contacts that are not
 * among the parties are found by code when it is written.
 */
export function domainRow(
  record: DomainRecord,
  present: StoredDomain | undefined,
  parties?: Parties,
) {
  const { name, punycode, registrar } = record;
  const row: Omit<NewRow<typeof domains>, 'registrarId' | 'createdAt'> = { name, punycode };
  return {
    ...row,
    registrar,
    contacts: domainRoles.flatMap((role) =>
      codesOf(record, role).map((code) => ({ role, code, id: parties?.contacts.get(code)?.id })),
    ),
    changes: difference({ ...present }, { ...contentOf(record) }),
  };
}

export type DomainRow = ReturnType<typeof domainRow>;

/**
 * Writes the rows of a JSON array if the condition holds. A row may have the time of its creation. A foreign key
 * refuses a contact that was just deleted.
 */
export function domainChanges(
  { db, origin }: Operation,
  action: 'create' | 'update',
  array: string,
  onlyIf: SQL = sql`true`,
): ChangesOfMany {
  const rows = sql`select row from (${rowsIn(array)}) where ${onlyIf}`;
  const statements = [putDomains(db, rows, origin.request.at), ...linkContacts(db, rows)];
  return changesOfRows('domain', action, rows, statements);
}

/** `rows` has each row as JSON in its column `row`. An existing domain gets the registrar. */
export function putDomains(db: Database, rows: SQL, createdAt: Date) {
  const domain = {
    ...valuesInJson(domains),
    registrarId: registrarIdOf(sql`row ->> 'registrar'`),
    createdAt: sql`ifnull(row ->> 'createdAt', ${createdAt.toISOString()})`,
  };
  return insertRows(db, domains, domain, sql`from (${rows}) where true`).onConflictDoUpdate({
    target: domains.name,
    set: { registrarId: sql`excluded.registrar_id` },
  });
}

/** Links the domains of such rows to exactly their `contacts`, which are roles with ids or codes. */
function linkContacts(db: Database, rows: SQL) {
  const rowDomains = sql`(${rows}) as given join ${domains} on ${domains.name} = row ->> 'name'`;
  const links = sql`${rowDomains}, json_each(row, '$.contacts') as contact`;
  const link = {
    domainId: sql`${domains.id}`,
    contactId: sql`ifnull(contact.value ->> 'id', (
      select id from ${contacts} where code = contact.value ->> 'code'))`,
    role: sql`contact.value ->> 'role'`,
  };
  const { domainId, contactId, role } = domainContacts;
  const linkId = sql`select ${domainContacts}.rowid`;
  // Compares row ids, because SQLite compares a row value that may be NULL with every link. The cross join makes it
  // look up each link, instead of comparing it with all links of the domain.
  const excess = sql`
    ${linkId} from ${rowDomains} join ${domainContacts} on ${domainId} = ${link.domainId}
    except ${linkId} from ${links} cross join ${domainContacts}
      on ${domainId} = ${link.domainId} and ${contactId} = ${link.contactId} and ${role} = ${link.role}`;
  return [
    // Deletions first: a domain never has two registrants.
    db.delete(domainContacts).where(sql`rowid in (${excess})`),
    insertRows(db, domainContacts, link, sql`from ${links} where true`).onConflictDoNothing(),
  ];
}

const emptyDomain = { registrar: null, registrant: null, admin: [], tech: [], createdAt: null };

export function removalRow(name: string, domain: StoredDomain) {
  const { registrar } = domain;
  return { name, registrar, changes: difference({ ...domain }, emptyDomain) };
}

/** Deletes their links too, and the secrets that their registrations consumed. */
export function deleteDomains(db: Database, rows: SQL) {
  const names = sql`(select row ->> 'name' from (${rows}))`;
  return [
    db.delete(registrations).where(sql`${registrations.name} in ${names}`),
    db.delete(domains).where(sql`${domains.name} in ${names}`),
  ];
}
