import { and, asc, eq, type SQL, sql } from 'drizzle-orm';
import { retainedDomains, type retainedStatuses } from '../../drizzle/schema.ts';
import { jsonArrays, rowsIn } from '../database/json-rows.ts';
import type { Database } from '../database/open.ts';
import type { RowsAfter } from '../database/paging.ts';
import type { DomainName } from '../domain/name.ts';

export type RetainedStatus = (typeof retainedStatuses)[number];

/** A name that the registry holds back; one that is both reserved and blocked appears twice. */
export interface RetainedDomain extends DomainName {
  status: RetainedStatus;
  /** For a reserved name, the password to register it with; if absent or null, the stored one stays. */
  password?: string | null | undefined;
  /** For a reserved name, the last reserved day (UTC); if absent or null, the stored one stays. */
  lastDay?: string | null | undefined;
}

/** The reserved and blocked names, or those with one status, by name and status. */
export async function listRetainedDomains(
  db: Database,
  filter: {
    status?: RetainedStatus | undefined;
    page: RowsAfter<Pick<RetainedDomain, 'name' | 'status'>>;
  },
): Promise<RetainedDomain[]> {
  const { name, status } = retainedDomains;
  const { after, limit } = filter.page;
  return selectRetainedDomains(db)
    .where(
      and(
        filter.status && eq(status, filter.status),
        after && sql`(${name}, ${status}) > (${after.name}, ${after.status})`,
      ),
    )
    .orderBy(asc(name), asc(status))
    .limit(limit);
}

/** Finds the names that exist with the given status. */
export async function findRetainedDomains(
  db: Database,
  names: Iterable<RetainedDomain>,
): Promise<RetainedDomain[]> {
  const existing: RetainedDomain[] = [];
  for (const rows of jsonArrays(names)) {
    existing.push(...(await selectRetainedDomains(db).where(isAmong(rowsIn(rows)))));
  }
  return existing;
}

function selectRetainedDomains(db: Database) {
  const { name, punycode, status, password, lastDay } = retainedDomains;
  return db.select({ name, punycode, status, password, lastDay }).from(retainedDomains);
}

/** The condition that a row of a query, which has each as JSON in its column `row`, has the name and the status. */
export function isAmong(rows: SQL): SQL {
  const { name, status } = retainedDomains;
  return sql`(${name}, ${status}) in (select row ->> 'name', row ->> 'status' from (${rows}))`;
}
