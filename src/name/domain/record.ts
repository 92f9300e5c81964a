import { contacts, domainRoles, registrars } from '../../../drizzle/schema.ts';
import { isIn, jsonArrays } from '../../base/database/json-rows.ts';
import type { Database } from '../../base/database/open.ts';
import type { RecordProblem } from '../../base/error.ts';
import { asciiUpperCase } from '../../base/text/ascii-case.ts';
import type { DomainName } from '../name.ts';
import type { StoredDomain } from './read.ts';

type DomainRole = (typeof domainRoles)[number];

export interface DomainRecord extends DomainName {
  registrar: string;
  /** A contact's code, in either case. Null for a domain that moved in without one. */
  registrant: string | null;
  admin: readonly string[];
  tech: readonly string[];
}

/** The domain keeps the contacts of a role that is left out. */
export type ImportedDomain = Omit<DomainRecord, 'admin' | 'tech'> &
  Partial<Pick<DomainRecord, 'admin' | 'tech'>>;

export type WantedDomain = DomainName & Partial<DomainRecord>;

export interface Parties {
  registrars: Map<string, number>;
  contacts: Map<string, { id: number; uuid: string; registrarId: number }>;
}

/** Costs one round trip. */
export async function loadParties(
  db: Database,
  records: readonly ImportedDomain[],
): Promise<Parties> {
  const parties: Parties = { registrars: new Map(), contacts: new Map() };
  const registrarCodes = records.map(({ registrar }) => registrar);
  const contactCodes = records.flatMap((record) =>
    domainRoles.flatMap((role) => codesOf(record, role)),
  );
  const { id, uuid, code, registrarId } = contacts;
  const [first, ...others] = [
    ...jsonArrays(new Set(registrarCodes)).map((codes) =>
      db
        .select({ id: registrars.id, code: registrars.code })
        .from(registrars)
        .where(isIn(registrars.code, codes)),
    ),
    ...jsonArrays(new Set(contactCodes)).map((codes) =>
      db.select({ id, uuid, code, registrarId }).from(contacts).where(isIn(code, codes)),
    ),
  ];
  for (const row of first ? (await db.batch([first, ...others])).flat() : []) {
    if ('uuid' in row) parties.contacts.set(row.code, row);
    else parties.registrars.set(row.code, row.id);
  }
  return parties;
}

/** Undefined for a new domain without a registrar or registrant. A field that is left out stays as it is. */
export function wholeDomain(
  { name, punycode, ...fields }: WantedDomain,
  present: StoredDomain | undefined,
): DomainRecord | undefined {
  const { registrar = present?.registrar, registrant = present?.registrant } = fields;
  if (registrar === undefined || registrant === undefined) return undefined;
  const { admin = present?.admin ?? [], tech = present?.tech ?? [] } = fields;
  return { name, punycode, registrar, registrant, admin, tech };
}

/** Returns codes in upper case, sorted, each once. */
export function codesOf(record: ImportedDomain, role: DomainRole): string[] {
  const { registrant } = record;
  const holders = registrant === null ? [] : [registrant];
  const codes = role === 'registrant' ? holders : (record[role] ?? []);
  return [...new Set(codes.map(asciiUpperCase))].sort();
}

export function contentOf(record: DomainRecord): Omit<StoredDomain, 'createdAt'> {
  return {
    registrar: record.registrar,
    registrant: codesOf(record, 'registrant')[0] ?? null,
    admin: codesOf(record, 'admin'),
    tech: codesOf(record, 'tech'),
  };
}

export function problemsOf(
  records: readonly ImportedDomain[],
  parties: Parties,
): RecordProblem<ImportedDomain>[] {
  return records.flatMap((record) => {
    const unknown = (kind: string, code: string, field: string): RecordProblem<ImportedDomain> => ({
      reason: 'not_found',
      message: `there is no ${kind} ${JSON.stringify(code)}`,
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

/** Whether the record, which has no problem, names a contact of another registrar. */
export function hasForeignContact(
  record: DomainRecord,
  { registrars, contacts }: Parties,
): boolean {
  const own = registrars.get(record.registrar);
  const codes = domainRoles.flatMap((role) => codesOf(record, role));
  return codes.some((code) => contacts.get(code)?.registrarId !== own);
}
