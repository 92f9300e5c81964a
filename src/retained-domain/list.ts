import { and, asc, eq, type SQL, sql } from 'drizzle-orm';
import { retainedDomains, type retainedStatuses } from '../../drizzle/schema.ts';
import { jsonArrays } from '../database/json-rows.ts';
import type { Database } from '../database/open.ts';
import type { DomainName } from '../domain/name.ts';

export type RetainedStatus = (typeof retainedStatuses)[number];

/** A name that the registry keeps back; one that is both reserved and blocked is there twice. */
export interface RetainedDomain extends DomainName {
  status: RetainedStatus;
}

/** The reserved and blocked names, or those of one status, by name and status, from the one behind `after`. */
export async function listRetainedDomains(
  db: Database,
  filter: {
    status?: RetainedStatus | undefined;
    page: { after?: Pick<RetainedDomain, 'name' | 'status'> | undefined; limit: number };
  },
): Promise<RetainedDomain[]> {
  const { name, status } = retainedDomains;
  const { after, limit } = filter.page;
  return db
    .select(shown)
    .from(retainedDomains)
    .where(
      and(
        filter.status && eq(status, filter.status),
        after && sql`(${name}, ${status}) > (${after.name}, ${after.status})`,
      ),
    )
    .orderBy(asc(name), asc(status))
    .limit(limit);
}

/** Those of the names that are there already, each with the status that it is asked for. */
export async function findRetainedDomains(
  db: Database,
  names: Iterable<RetainedDomain>,
): Promise<RetainedDomain[]> {
  const found: RetainedDomain[] = [];
  for (const rows of jsonArrays(names)) {
    found.push(...(await db.select(shown).from(retainedDomains).where(isAmong(rows))));
  }
  return found;
}

const shown = {
  name: retainedDomains.name,
  punycode: retainedDomains.punycode,
  status: retainedDomains.status,
};

/** The condition that name and status are in a JSON array of rows. */
export function isAmong(rows: string): SQL {
  const { name, status } = retainedDomains;
  return sql`(${name}, ${status}) in (select value ->> 'name', value ->> 'status' from json_each(${rows}))`;
}
