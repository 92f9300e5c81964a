import { type SQL, sql } from 'drizzle-orm';
import { retainedDomains, type retainedStatuses } from '../../../drizzle/schema.ts';
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

/** Whether a row of a query, which has each as JSON in its column `row`, has the name and the status. */
export function isAmong(rows: SQL): SQL {
  const { name, status } = retainedDomains;
  return sql`(${name}, ${status}) in (select row ->> 'name', row ->> 'status' from (${rows}))`;
}
