import { sql } from 'drizzle-orm';
import { domainContacts, domainRoles, domains } from '../../drizzle/schema.ts';
import { jsonArrays } from '../database/json-rows.ts';
import type { Database } from '../database/open.ts';
import { retried } from '../database/retry.ts';
import { isForeignKeyViolation } from '../database/violations.ts';
import { RegistryError, throwProblems } from '../error.ts';
import { type Action, difference, recordEach } from '../history/changes.ts';
import { asciiUpperCase } from '../text/ascii-case.ts';
import type { ChangeOptions, Origin } from '../write.ts';
import { loadDomains, type Recorded } from './read.ts';
import { codesOf, type DomainRecord, loadParties, type Parties, problemsOf } from './record.ts';

/** How many records created a domain, changed one, or matched what was there. */
export interface Imported {
  created: number;
  updated: number;
  unchanged: number;
}

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
): Promise<Imported> {
  const distinct = [...new Map(records.map((record) => [record.name, record])).values()];
  return retried(async () => {
    const parties = await loadParties(db, distinct);
    throwProblems(problemsOf(distinct, parties));
    const present = await loadDomains(
      db,
      distinct.map(({ name }) => name),
    );
    const rows = distinct
      .map((record) => rowOf(record, parties, present.get(record.name)))
      .filter(({ changes }) => Object.keys(changes).length > 0);
    if (!isDryRun) await writeRows(db, origin, rows);
    const created = rows.filter(({ action }) => action === 'create').length;
    const updated = rows.length - created;
    return { created, updated, unchanged: distinct.length - rows.length };
  });
}

/** The JSON from which the statements of the batch write a record. */
function rowOf(record: DomainRecord, parties: Parties, present: Recorded | undefined) {
  const { name, punycode, registrar } = record;
  const action: Action = present ? 'update' : 'create';
  const wanted: Recorded = {
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
    action,
    changes: difference({ ...present }, { ...wanted }),
  };
}

/** Throws `changed_meanwhile` if a contact of the domains has just been deleted. */
async function writeRows(
  db: Database,
  origin: Origin,
  rows: readonly ReturnType<typeof rowOf>[],
): Promise<void> {
  const [first, ...rest] = jsonArrays(rows).flatMap((some) => writeEach(db, origin, some));
  try {
    if (first) await db.batch([first, ...rest]);
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
    throw new RegistryError(
      'changed_meanwhile',
      'somebody else deleted one of the contacts just now; import the file again',
    );
  }
}

function writeEach(db: Database, origin: Origin, rows: string) {
  const records = sql`json_each(${rows}) as record`;
  const domainIds = sql`
    select ${domains.id} from ${records} join ${domains} on ${domains.name} = record.value ->> 'name'`;
  const wanted = sql`
    select ${domains.id}, contact.value ->> 'id', contact.value ->> 'role'
    from ${records} join ${domains} on ${domains.name} = record.value ->> 'name',
      json_each(record.value, '$.contacts') as contact`;
  const { domainId, contactId, role } = domainContacts;
  const recorded = (action: Action) =>
    recordEach(
      db,
      origin,
      'domain',
      action,
      sql`select value ->> 'name' as key, null as uuid, value -> 'changes' as changes
        from ${records} where value ->> 'action' = ${action}`,
    );
  return [
    db
      .insert(domains)
      .select(sql`
        select null, value ->> 'name', value ->> 'punycode', value ->> 'registrarId', ${origin.request.at.toISOString()}
        from ${records} where true`)
      .onConflictDoUpdate({
        target: domains.name,
        set: { registrarId: sql`excluded.registrar_id` },
      }),
    // Deletions first: a domain never has two registrants.
    db
      .delete(domainContacts)
      .where(
        sql`${domainId} in (${domainIds}) and (${domainId}, ${contactId}, ${role}) not in (${wanted})`,
      ),
    db.insert(domainContacts).select(sql`${wanted} where true`).onConflictDoNothing(),
    recorded('create'),
    recorded('update'),
  ] as const;
}
