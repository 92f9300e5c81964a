import type { Database } from '../../database/open.ts';
import {
  listRetainedDomains,
  type RetainedDomain,
  type RetainedStatus,
} from '../../retained-domain/list.ts';
import { everyPage } from '../pages.ts';

/** Every reserved and blocked name, or those with one status, by name and status. */
export function everyRetainedDomain(
  db: Database,
  status: RetainedStatus | undefined,
): AsyncGenerator<RetainedDomain> {
  return everyPage<RetainedDomain, RetainedDomain>(
    (page) => listRetainedDomains(db, { status, page }),
    (last) => last,
  );
}
