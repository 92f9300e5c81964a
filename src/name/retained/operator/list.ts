import { and, asc, eq, sql } from 'drizzle-orm';
import { retainedDomains } from '../../../../drizzle/schema.ts';
import { jsonArrays, rowsIn } from '../../../base/database/json-rows.ts';
import type { Database } from '../../../base/database/open.ts';
import type { RowsAfter } from '../../../base/database/paging.ts';
import { isAmong, type RetainedDomain, type RetainedStatus } from '../list.ts';

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
  const { name, punycode, status, password, lastDay, comment } = retainedDomains;
  return db.select({ name, punycode, status, password, lastDay, comment }).from(retainedDomains);
}
