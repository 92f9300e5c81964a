import { contacts, domainRoles, registrars } from '../../drizzle/schema.ts';
import { isIn, jsonArrays } from '../database/json-rows.ts';
import type { Database } from '../database/open.ts';
import type { RecordProblem } from '../error.ts';
import { asciiUpperCase } from '../text/ascii-case.ts';
import type { DomainRole } from './list.ts';
import type { DomainName } from './name.ts';

/** A domain to import, with the codes of its registrar and contacts. */
export interface DomainRecord extends DomainName {
  registrar: string;
  /** Code of a contact, in either case; likewise the others. */
  registrant: string;
  admin: readonly string[];
  tech: readonly string[];
}

/** Every registrar and contact that the records name and that does not exist. */
export async function findDomainProblems(
  db: Database,
  records: readonly DomainRecord[],
): Promise<RecordProblem<DomainRecord>[]> {
  return problemsOf(records, await loadParties(db, records));
}

/** The ids of those of the records' registrars and contacts that exist, by their codes. */
export async function loadParties(db: Database, records: readonly DomainRecord[]) {
  const contactCodes = records.flatMap((record) =>
    domainRoles.flatMap((role) => codesOf(record, role)),
  );
  return {
    registrars: await loadIds(
      db,
      registrars,
      records.map(({ registrar }) => registrar),
    ),
    contacts: await loadIds(db, contacts, contactCodes),
  };
}

export type Parties = Awaited<ReturnType<typeof loadParties>>;

async function loadIds(
  db: Database,
  table: typeof registrars | typeof contacts,
  codes: readonly string[],
): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  for (const some of jsonArrays(new Set(codes))) {
    const rows = await db
      .select({ id: table.id, code: table.code })
      .from(table)
      .where(isIn(table.code, some));
    for (const { id, code } of rows) ids.set(code, id);
  }
  return ids;
}

/** The codes of a role's contacts in upper case, sorted, without repetitions. */
export function codesOf(record: DomainRecord, role: DomainRole): string[] {
  const codes = role === 'registrant' ? [record.registrant] : record[role];
  return [...new Set(codes.map(asciiUpperCase))].sort();
}

/** A problem for each registrar and contact of the records that does not exist. */
export function problemsOf(
  records: readonly DomainRecord[],
  parties: Parties,
): RecordProblem<DomainRecord>[] {
  return records.flatMap((record) => {
    const unknown = (what: string, code: string, field: string): RecordProblem<DomainRecord> => ({
      reason: 'not_found',
      message: `there is no ${what} ${JSON.stringify(code)}`,
      field,
      record,
    });
    const unknownContacts = domainRoles.flatMap((role) =>
      codesOf(record, role)
        .filter((code) => !parties.contacts.has(code))
        .map((code) => unknown('contact', code, role)),
    );
    return parties.registrars.has(record.registrar)
      ? unknownContacts
      : [unknown('registrar', record.registrar, 'registrar'), ...unknownContacts];
  });
}
