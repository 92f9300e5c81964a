import { and, asc, eq, gt, inArray, sql } from 'drizzle-orm';
import {
  contacts,
  domainContacts,
  domainRoles,
  domains,
  registrars,
} from '../../../../drizzle/schema.ts';
import type { Database } from '../../../base/database/open.ts';
import type { RowsAfter } from '../../../base/database/paging.ts';
import { RegistryError } from '../../../base/error.ts';
import { asciiUpperCase } from '../../../base/text/ascii-case.ts';
import type { DomainName } from '../name.ts';
import { selectDomains } from '../read.ts';
import type { DomainRole } from '../record.ts';

export interface DomainOfContact extends DomainName {
  registrar: string;
  roles: DomainRole[];
}

/** Sorted by name; the case of the code does not matter. Throws `not_found`. */
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

export function listDomainNames(
  db: Database,
  page: RowsAfter<{ name: string }>,
  registrar?: string,
) {
  return db
    .select({ name: domains.name })
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
}

/** The codes of its contacts are sorted. */
export type ListedDomain = Awaited<ReturnType<typeof listDomains>>[number];

export function listDomains(db: Database, page: RowsAfter<{ name: string }>, registrar?: string) {
  return selectDomains(db, inArray(domains.name, listDomainNames(db, page, registrar)));
}
