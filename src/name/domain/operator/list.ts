import { and, asc, eq, gt, inArray, sql } from 'drizzle-orm';
import { contacts, domainContacts, domains, registrars } from '../../../../drizzle/schema.ts';
import type { Database } from '../../../base/database/open.ts';
import type { RowsAfter } from '../../../base/database/paging.ts';
import { selectDomains } from '../read.ts';

export function countDomains(db: Database): Promise<number> {
  return db.$count(domains);
}

/** Codes in upper case. */
interface DomainCriteria {
  registrar?: string | undefined;
  contact?: string | undefined;
}

export function listDomainNames(
  db: Database,
  page: RowsAfter<{ name: string }>,
  { registrar, contact }: DomainCriteria = {},
) {
  const ofContact = sql`select domain_id from ${domainContacts}
    where contact_id = (select id from ${contacts} where code = ${contact})`;
  return db
    .select({ name: domains.name })
    .from(domains)
    .innerJoin(registrars, eq(registrars.id, domains.registrarId))
    .where(
      and(
        gt(domains.name, page.after?.name ?? ''),
        registrar === undefined ? undefined : eq(registrars.code, registrar),
        contact === undefined ? undefined : sql`${domains.id} in (${ofContact})`,
      ),
    )
    .orderBy(asc(domains.name))
    .limit(page.limit);
}

/** Counts the contacts that copies replace when all domains of a registrar are transferred. */
export function countReplaced(db: Database, from: string, to: string): Promise<number> {
  const idOf = (code: string) => sql`(select id from ${registrars} where code = ${code})`;
  return db.$count(sql`(select distinct contact_id from ${domains}
    join ${domainContacts} on domain_id = ${domains.id}
    join ${contacts} on ${contacts.id} = contact_id
    where ${domains.registrarId} = ${idOf(from)} and ${contacts.registrarId} <> ${idOf(to)})`);
}

/** Its contacts' codes are sorted. */
export type ListedDomain = Awaited<ReturnType<typeof listDomains>>[number];

export function listDomains(
  db: Database,
  page: RowsAfter<{ name: string }>,
  criteria: DomainCriteria = {},
) {
  return selectDomains(db, inArray(domains.name, listDomainNames(db, page, criteria)));
}

/** Lists so many domains that refer to these contacts, without the other contacts. */
export async function listDomainsOfContacts(
  db: Database,
  some: readonly { id: number; code: string }[],
  limit: number,
): Promise<ListedDomain[]> {
  const ids = JSON.stringify(some.map(({ id }) => id));
  const referring = sql`select distinct domain_id from ${domainContacts}
    where contact_id in (select value from json_each(${ids})) limit ${limit}`;
  const codes = new Set(some.map(({ code }) => code));
  const found = await selectDomains(db, sql`${domains.id} in (${referring})`);
  return found.map(({ registrant, admin, tech, ...domain }) => ({
    ...domain,
    registrant: registrant !== null && codes.has(registrant) ? registrant : null,
    admin: admin.filter((code) => codes.has(code)),
    tech: tech.filter((code) => codes.has(code)),
  }));
}
