import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { contacts, domainRoles, registrars } from '../../drizzle/schema.ts';
import { asciiUpperCase } from '../ascii-case.ts';
import { jsonArrays } from '../database/json-rows.ts';
import type { Database } from '../database/open.ts';
import type { Problem } from '../error.ts';
import type { DomainRole } from './list.ts';
import type { DomainName } from './name.ts';

/** A domain as it is imported: who holds it and who answers for it, by their codes. */
export interface DomainRecord extends DomainName {
  /** Code of a registrar. */
  registrar: string;
  /** Code of a contact, in either case, as are the others. */
  registrant: string;
  admin: readonly string[];
  tech: readonly string[];
}

/** What is wrong with a record; `field` is the one of the record. */
export interface DomainProblem extends Problem {
  record: DomainRecord;
}

/** Ids of registrars and contacts by their codes. */
export interface Parties {
  registrars: Map<string, number>;
  contacts: Map<string, number>;
}

/** Every registrar and contact that the records name and that there is not. */
export async function findDomainProblems(
  db: Database,
  records: readonly DomainRecord[],
): Promise<DomainProblem[]> {
  return problemsOf(records, await loadParties(db, records));
}

/** Those of the registrars and contacts in the records that there are. */
export async function loadParties(
  db: Database,
  records: readonly DomainRecord[],
): Promise<Parties> {
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

async function loadIds(
  db: Database,
  table: typeof registrars | typeof contacts,
  codes: readonly string[],
): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  for (const some of jsonArrays(new Set(codes))) {
    const found = await db
      .select({ id: table.id, code: table.code })
      .from(table)
      .where(isIn(table.code, some));
    for (const { id, code } of found) ids.set(code, id);
  }
  return ids;
}

/** The condition that a column has one of the values of a JSON array. */
export function isIn(column: SQLWrapper, values: string): SQL {
  return sql`${column} in (select value from json_each(${values}))`;
}

/** The contacts of a role in upper case, each once, sorted. */
export function codesOf(record: DomainRecord, role: DomainRole): string[] {
  const codes = role === 'registrant' ? [record.registrant] : record[role];
  return [...new Set(codes.map(asciiUpperCase))].sort();
}

/** A problem for each registrar and contact of the records that is not among the parties. */
export function problemsOf(records: readonly DomainRecord[], parties: Parties): DomainProblem[] {
  return records.flatMap((record) => {
    const unknown = (what: string, code: string, field: string): DomainProblem => ({
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
