import { and, asc, eq, gt, sql } from 'drizzle-orm';
import {
  contacts,
  domainContacts,
  domainRoles,
  domains,
  registrars,
} from '../../drizzle/schema.ts';
import type { Database } from '../database/open.ts';
import type { RowsAfter } from '../database/paging.ts';
import { RegistryError } from '../error.ts';
import { asciiUpperCase } from '../text/ascii-case.ts';
import type { DomainName } from './name.ts';

export type DomainRole = (typeof domainRoles)[number];

/** A domain as seen from one of its contacts. */
export interface DomainOfContact extends DomainName {
  registrar: string;
  roles: DomainRole[];
}

/** The domains that refer to the contact with this code (ignoring case), by name. Throws `not_found`. */
export async function listDomainsOfContact(
  db: Database,
  contactCode: string,
  page: RowsAfter<{ name: string }>,
): Promise<DomainOfContact[]> {
  const code = asciiUpperCase(contactCode);
  const contactId = db.select({ id: contacts.id }).from(contacts).where(eq(contacts.code, code));
  const [[contact], found] = await db.batch([
    contactId,
    db
      .select({
        name: domains.name,
        punycode: domains.punycode,
        registrar: registrars.code,
        roles: sql<string>`json_group_array(${domainContacts.role})`.as('roles'),
      })
      .from(domainContacts)
      .innerJoin(domains, eq(domains.id, domainContacts.domainId))
      .innerJoin(registrars, eq(registrars.id, domains.registrarId))
      .where(and(eq(domainContacts.contactId, contactId), gt(domains.name, page.after?.name ?? '')))
      .groupBy(domains.name)
      .orderBy(asc(domains.name))
      .limit(page.limit),
  ]);
  if (!contact) {
    throw new RegistryError('not_found', `there is no contact ${JSON.stringify(code)}`, 'contact');
  }
  return found.map((domain) => {
    const roles = JSON.parse(domain.roles) as DomainRole[];
    return { ...domain, roles: domainRoles.filter((role) => roles.includes(role)) };
  });
}

export function countDomains(db: Database): Promise<number> {
  return db.$count(domains);
}

/** The names of all domains, in order. */
export async function listDomainNames(
  db: Database,
  page: RowsAfter<{ name: string }>,
): Promise<{ name: string }[]> {
  return db
    .select({ name: domains.name })
    .from(domains)
    .where(gt(domains.name, page.after?.name ?? ''))
    .orderBy(asc(domains.name))
    .limit(page.limit);
}

/** A domain with the codes of its contacts, in order. */
export interface ListedDomain extends DomainName, Record<DomainRole, string[]> {
  registrar: string;
}

/** All domains, or a registrar's, by name. */
export async function listDomains(
  db: Database,
  page: RowsAfter<{ name: string }>,
  registrar?: string,
): Promise<ListedDomain[]> {
  const codesAs = (role: DomainRole) =>
    sql<string>`(select json_group_array(code) from (
      select contact.code from ${domainContacts} as link join ${contacts} as contact on contact.id = link.contact_id
      where link.domain_id = ${domains.id} and link.role = ${role} order by contact.code))`;
  const rows = await db
    .select({
      name: domains.name,
      punycode: domains.punycode,
      registrar: registrars.code,
      registrant: codesAs('registrant'),
      admin: codesAs('admin'),
      tech: codesAs('tech'),
    })
    .from(domains)
    .innerJoin(registrars, eq(registrars.id, domains.registrarId))
    .where(
      and(
        gt(domains.name, page.after?.name ?? ''),
        registrar === undefined ? undefined : eq(registrars.code, registrar),
      ),
    )
    .orderBy(asc(domains.name))
    .limit(page.limit);
  return rows.map(({ registrant, admin, tech, ...domain }) => ({
    ...domain,
    registrant: JSON.parse(registrant),
    admin: JSON.parse(admin),
    tech: JSON.parse(tech),
  }));
}
