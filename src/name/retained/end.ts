import { sql } from 'drizzle-orm';
import { retainedDomains } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import type { SweepLimits } from '../../base/database/sweep.ts';
import { dayOf } from '../../base/time/day.ts';
import { changeEach, scheduledRun, type WriteRequest } from '../../change/write.ts';
import { removals } from './change-names.ts';

const limits: SweepLimits = { window: 1_000, windows: 20 };

/** The cron removes a reserved name whose last day, in UTC, is over. */
export function hasEnded({ lastDay }: { lastDay?: string | null | undefined }, now: Date): boolean {
  return typeof lastDay === 'string' && lastDay < dayOf(now);
}

/** Returns how many it removed; the next run continues. */
export async function endReservations(
  db: Database,
  request: WriteRequest,
  { window, windows }: SweepLimits = limits,
): Promise<number> {
  const { name, status } = retainedDomains;
  const isOver = sql`(${name}, ${status}) in (
    select name, status from retained_domains where last_day < ${dayOf(request.at)}
    order by last_day, name limit ${window})`;
  let ended = 0;
  for (let n = 0; n < windows; n++) {
    const origin = { actor: scheduledRun, request };
    const { removed } = await changeEach(db, origin, { removed: [removals(db, isOver)] });
    ended += removed;
    if (removed < window) break;
  }
  return ended;
}
