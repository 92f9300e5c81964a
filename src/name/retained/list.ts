import { type SQL, sql } from 'drizzle-orm';
import { retainedDomains, type retainedStatuses } from '../../../drizzle/schema.ts';
import type { DomainName } from '../name.ts';

export type RetainedStatus = (typeof retainedStatuses)[number];

/**
 * A name that is both reserved and blocked appears twice. An absent or null password or last day keeps the stored one.
 */
export interface RetainedDomain extends DomainName {
  status: RetainedStatus;
  password?: string | null | undefined;
  /** In UTC. */
  lastDay?: string | null | undefined;
  /** Why, for staff alone. Only a new name takes one. */
  comment?: string | null | undefined;
}

/** True if `rows`, JSON in a column `row`, has the name and the status. */
export function isAmong(rows: SQL): SQL {
  const { name, status } = retainedDomains;
  return sql`(${name}, ${status}) in (select row ->> 'name', row ->> 'status' from (${rows}))`;
}
