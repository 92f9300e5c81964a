import { and, asc, eq, type SQL, sql } from 'drizzle-orm';
import { retainedDomains, type retainedStatuses } from '../../../drizzle/schema.ts';
import { jsonArrays, rowsIn } from '../../base/database/json-rows.ts';
import type { Database } from '../../base/database/open.ts';
import type { RowsAfter } from '../../base/database/paging.ts';
import type { DomainName } from '../domain/name.ts';

export type RetainedStatus = (typeof retainedStatuses)[number];

/** A name that is both reserved and blocked appears twice. */
export interface RetainedDomain extends DomainName {
  status: RetainedStatus;
  /** Needed to register a reserved name; if absent or null, the stored one stays. */
  password?: string | null | undefined;
  /** The last reserved day (UTC); if absent or null, the stored one stays. */
  lastDay?: string | null | undefined;
}

/** Sorted by name and status. */
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

/** Whether a row of a query, which has each as JSON in its column `row`, has the name and the status. */
export function isAmong(rows: SQL): SQL {
  const { name, status } = retainedDomains;
  return sql`(${name}, ${status}) in (select row ->> 'name', row ->> 'status' from (${rows}))`;
}
