import { sql } from 'drizzle-orm';
import { domainContacts, domainRoles, domains } from '../../drizzle/schema.ts';
import { insertRows } from '../database/insert-rows.ts';
import { jsonArrays } from '../database/json-rows.ts';
import type { Database } from '../database/open.ts';
import { retried } from '../database/retry.ts';
import { isForeignKeyViolation } from '../database/violations.ts';
import { RegistryError, throwProblems } from '../error.ts';
import { difference } from '../history/changes.ts';
import { asciiUpperCase } from '../text/ascii-case.ts';
import { type ChangeOptions, type ChangesOfMany, changeEach, type Origin } from '../write.ts';
import { loadDomains, type Recorded } from './read.ts';
import { codesOf, type DomainRecord, loadParties, type Parties, problemsOf } from './record.ts';

/**
 * Makes the domains and their contacts equal to the records, all domains or none. The last record of a repeated name
 * counts. It is one batch, for about ten thousand records at a time. Throws `not_found` with a problem for each unknown
 * registrar and contact.
 */
export async function importDomains(
  db: Database,
  origin: Origin,
  records: readonly DomainRecord[],
  { isDryRun = false }: ChangeOptions = {},
) {
  const distinct = [...new Map(records.map((record) => [record.name, record])).values()];
  return retried(async () => {
    const parties = await loadParties(db, distinct);
    throwProblems(problemsOf(distinct, parties));
    const present = await loadDomains(
      db,
      distinct.map(({ name }) => name),
    );
    const rowsOf = (some: readonly DomainRecord[]) =>
      some
        .map((record) => rowOf(record, parties, present.get(record.name)))
        .filter(({ changes }) => Object.keys(changes).length > 0);
    const created = rowsOf(distinct.filter(({ name }) => !present.has(name)));
    const updated = rowsOf(distinct.filter(({ name }) => present.has(name)));
    if (!isDryRun) await writeRows(db, origin, { created, updated });
    return {
      created: created.length,
      updated: updated.length,
      unchanged: distinct.length - created.length - updated.length,
    };
  });
}

/** The JSON from which the statements of the batch write a record. */
function rowOf(record: DomainRecord, parties: Parties, present: Recorded | undefined) {
  const { name, punycode, registrar } = record;
  const wanted = {
    registrar,
    registrant: asciiUpperCase(record.registrant),
    admin: codesOf(record, 'admin'),
    tech: codesOf(record, 'tech'),
  };
  return {
    name,
    punycode,
    registrarId: parties.registrars.get(registrar),
    contacts: domainRoles.flatMap((role) =>
      codesOf(record, role).map((code) => ({ role, id: parties.contacts.get(code) })),
    ),
    changes: difference({ ...present }, { ...wanted }),
  };
}

type Row = ReturnType<typeof rowOf>;

/** Throws `changed_meanwhile` if a contact of the domains has just been deleted. */
async function writeRows(
  db: Database,
  origin: Origin,
  rows: Record<'created' | 'updated', readonly Row[]>,
): Promise<void> {
  const { at } = origin.request;
  try {
    await changeEach(db, origin, {
      created: jsonArrays(rows.created).map((some) => changesOf(db, 'create', some, at)),
      updated: jsonArrays(rows.updated).map((some) => changesOf(db, 'update', some, at)),
    });
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
    throw new RegistryError(
      'changed_meanwhile',
      'somebody else deleted one of the contacts just now; import the file again',
    );
  }
}

function changesOf(
  db: Database,
  action: 'create' | 'update',
  rows: string,
  createdAt: Date,
): ChangesOfMany {
  const records = sql`json_each(${rows}) as record`;
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
    createdAt: createdAt.toISOString(),
  };
  return {
    subject: 'domain',
    action,
    rows: sql`select value ->> 'name' as key, null as uuid, value -> 'changes' as changes from ${records}`,
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
