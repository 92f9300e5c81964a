import { type SQL, sql } from 'drizzle-orm';
import { domainContacts, domainRoles, domains } from '../../drizzle/schema.ts';
import { insertRows } from '../database/insert-rows.ts';
import type { Database } from '../database/open.ts';
import { difference } from '../history/changes.ts';
import type { ChangesOfMany } from '../write.ts';
import type { Recorded } from './read.ts';
import { codesOf, type DomainRecord, type Parties } from './record.ts';

/** The JSON from which `domainChanges` makes the domain equal to the record. */
export function domainRow(record: DomainRecord, parties: Parties, present: Recorded | undefined) {
  const { name, punycode, registrar } = record;
  const wanted = {
    registrar,
    registrant: codesOf(record, 'registrant')[0] ?? null,
    admin: codesOf(record, 'admin'),
    tech: codesOf(record, 'tech'),
  };
  return {
    name,
    punycode,
    registrar,
    registrarId: parties.registrars.get(registrar),
    contacts: domainRoles.flatMap((role) =>
      codesOf(record, role).map((code) => ({ role, id: parties.contacts.get(code)?.id })),
    ),
    changes: difference({ ...present }, { ...wanted }),
  };
}

export type DomainRow = ReturnType<typeof domainRow>;

/**
 * Writes the rows of a JSON array if the condition holds; a row may bring the time of its creation. A foreign key
 * refuses a contact that has just been deleted.
 */
export function domainChanges(
  db: Database,
  action: 'create' | 'update',
  rows: string,
  createdAt: Date,
  onlyIf: SQL = sql`true`,
): ChangesOfMany {
  const records = sql`(select value from json_each(${rows}) where ${onlyIf}) as record`;
  const domainIds = sql`
    select ${domains.id} from ${records} join ${domains} on ${domains.name} = record.value ->> 'name'`;
  const links = sql`from ${records} join ${domains} on ${domains.name} = record.value ->> 'name',
    json_each(record.value, '$.contacts') as contact`;
  const link = {
    domainId: sql`${domains.id}`,
    contactId: sql`contact.value ->> 'id'`,
    role: sql`contact.value ->> 'role'`,
  };
  const { domainId, contactId, role } = domainContacts;
  const domain = {
    name: sql`value ->> 'name'`,
    punycode: sql`value ->> 'punycode'`,
    registrarId: sql`value ->> 'registrarId'`,
    createdAt: sql`ifnull(value ->> 'createdAt', ${createdAt.toISOString()})`,
  };
  return {
    subject: 'domain',
    action,
    rows: {
      key: sql`value ->> 'name'`,
      uuid: null,
      registrar: sql`value ->> 'registrar'`,
      changes: sql`value -> 'changes'`,
      source: sql`from ${records}`,
    },
    statements: [
      insertRows(db, domains, domain, sql`from ${records} where true`).onConflictDoUpdate({
        target: domains.name,
        set: { registrarId: sql`excluded.registrar_id` },
      }),
      // Deletions first: a domain never has two registrants.
      db.delete(domainContacts).where(
        sql`${domainId} in (${domainIds}) and (${domainId}, ${contactId}, ${role}) not in (
            select ${link.domainId}, ${link.contactId}, ${link.role} ${links})`,
      ),
      insertRows(db, domainContacts, link, sql`${links} where true`).onConflictDoNothing(),
    ],
  };
}
