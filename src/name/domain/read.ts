import { asc, eq, type SQL } from 'drizzle-orm';
import { contacts, domainContacts, domains, registrars } from '../../../drizzle/schema.ts';
import { isIn, jsonArrays } from '../../base/database/json-rows.ts';
import type { Database } from '../../base/database/open.ts';
import { RegistryError } from '../../base/error.ts';
import type { DomainName } from '../name.ts';

/** The form of the history. Codes are sorted. */
export interface StoredDomain {
  registrar: string;
  registrant: string | null;
  admin: string[];
  tech: string[];
  createdAt: string;
}

export async function getDomain(db: Database, name: string): Promise<StoredDomain> {
  const domain = (await loadDomains(db, [name])).get(name);
  if (domain) return domain;
  throw unknownDomain(name);
}

export function unknownDomain(name: string): RegistryError {
  return new RegistryError('not_found', `there is no domain ${JSON.stringify(name)}`, 'name');
}

export async function loadDomains(
  db: Database,
  names: readonly string[],
): Promise<Map<string, StoredDomain>> {
  const present = new Map<string, StoredDomain>();
  for (const array of jsonArrays(names)) {
    const rows = await selectDomains(db, isIn(domains.name, array));
    for (const { name, punycode: _, ...domain } of rows) present.set(name, domain);
  }
  return present;
}

export async function selectDomains(
  db: Database,
  condition: SQL,
): Promise<(DomainName & StoredDomain)[]> {
  const rows = await db
    .select({
      name: domains.name,
      punycode: domains.punycode,
      createdAt: domains.createdAt,
      registrar: registrars.code,
      role: domainContacts.role,
      contact: contacts.code,
    })
    .from(domains)
    .innerJoin(registrars, eq(registrars.id, domains.registrarId))
    .leftJoin(domainContacts, eq(domainContacts.domainId, domains.id))
    .leftJoin(contacts, eq(contacts.id, domainContacts.contactId))
    .where(condition)
    .orderBy(asc(domains.name), asc(contacts.code));
  const byName = new Map<string, DomainName & StoredDomain>();
  for (const { role, contact, ...row } of rows) {
    const domain = byName.get(row.name) ?? { ...row, registrant: null, admin: [], tech: [] };
    byName.set(row.name, domain);
    if (role === 'registrant') domain.registrant = contact;
    else if (role && contact) domain[role].push(contact);
  }
  return [...byName.values()];
}
