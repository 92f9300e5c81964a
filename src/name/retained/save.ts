import { and, eq, sql } from 'drizzle-orm';
import { retainedDomains } from '../../../drizzle/schema.ts';
import { randomHex } from '../../base/bytes/digest.ts';
import type { Database } from '../../base/database/open.ts';
import type { SweepLimits } from '../../base/database/sweep.ts';
import { RegistryError } from '../../base/error.ts';
import { textField } from '../../base/text/field.ts';
import { dayOf } from '../../base/time/day.ts';
import { difference } from '../../change/history/changes.ts';
import { type Operation, scheduledRun, type WriteRequest } from '../../change/origin.ts';
import { type Change, changeOf, write } from '../../change/write.ts';
import { changeEach } from '../../change/write-many.ts';
import type { DomainName } from '../name.ts';
import { insertRetainedDomains, namesIn, removals } from './change-names.ts';
import type { RetainedStatus } from './list.ts';

/** Undefined fields stay as they are. */
export interface Reservation {
  password?: string | undefined;
  /** Null means no end. */
  lastDay?: string | null | undefined;
}

interface SavedName {
  lastDay: string | null;
  /** The random password of a new reservation that came without one. */
  password?: string;
  isNew: boolean;
}

/**
 * Reserves or blocks the name, or changes its reservation. Replaces a reservation whose last day is over. Costs two
 * round trips. Throws `invalid` for a last day that is over.
 */
export async function saveRetainedDomain(
  operation: Operation,
  { name, punycode }: DomainName,
  status: RetainedStatus,
  fields: Reservation = {},
): Promise<SavedName> {
  const { db, origin } = operation;
  const { request } = origin;
  checkLastDay(fields, request.at);
  const secret = status === 'reserved' && fields.password === undefined ? randomHex(16) : undefined;
  const isName = and(eq(retainedDomains.name, name), eq(retainedDomains.status, status))!;
  const look = () => db.select().from(retainedDomains).where(isName);
  const judge = ([row]: Awaited<ReturnType<typeof look>>): Change<SavedName> => {
    const isNew = !row || hasEnded(row, request.at);
    const current = isNew ? { password: secret ?? null, lastDay: null } : row;
    const { password = current.password, lastDay = current.lastDay } = fields;
    const change = {
      ...changeOf(operation, { type: 'retained_domain', key: name }),
      outcome: { lastDay, ...(isNew && secret !== undefined && { password: secret }), isNew },
    } as const;
    if (!row) {
      const columns = { status, password, lastDay };
      const values = { name, punycode, ...columns, createdAt: request.at.toISOString() };
      return {
        ...change,
        action: 'create',
        changes: difference({}, columns),
        onlyIf: sql`not exists (select 1 from ${retainedDomains} where ${isName})`,
        statements: [
          insertRetainedDomains(
            db,
            namesIn(sql`select ${JSON.stringify(values)} as row where ${change.isWritten}`),
          ),
        ],
      };
    }
    const comment = isNew ? null : row.comment;
    const changes = difference(row, { password, lastDay, comment });
    if (Object.keys(changes).length === 0) return { ...change, action: 'update', changes };
    return {
      ...change,
      action: 'update',
      changes,
      onlyIf: sql`exists (select 1 from ${retainedDomains} where ${isName}
        and password is ${row.password} and last_day is ${row.lastDay})`,
      statements: [
        db
          .update(retainedDomains)
          .set({ password, lastDay, comment })
          .where(and(isName, change.isWritten)),
      ],
    };
  };
  return (await write(db, request, { look, judge })).outcome;
}

const limits: SweepLimits = { window: 1_000, windows: 20 };

/** True if a reservation is over: its last day, in UTC, is past. The cron removes it later. */
export function hasEnded({ lastDay }: { lastDay?: string | null | undefined }, now: Date): boolean {
  return typeof lastDay === 'string' && lastDay < dayOf(now);
}

/** Throws `invalid` for a last day that is over. */
export function checkLastDay(fields: Reservation, now: Date): void {
  if (hasEnded(fields, now)) throw new RegistryError('invalid', 'is over', 'last_day');
}

/** Returns how many it removed. The next run continues. */
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
    const { removed } = await changeEach({ db, origin }, { removed: [removals(db, isOver)] });
    ended += removed;
    if (removed < window) break;
  }
  return ended;
}

/** The rule of every secret of a name, so that a registration can send each stored one. */
export const secretOfName = () => textField('is not a text of 1 to 255 characters', 255);
