import { and, desc, eq, inArray, max, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import {
  auctions,
  disputes,
  domains,
  history,
  isInForce,
  retainedDomains,
} from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { dayOf } from '../../base/time/day.ts';
import type { Operation } from '../../change/origin.ts';
import { type Change, changeOf, statementsOf } from '../../change/write.ts';
import { type Auction, isHolding } from '../auction/read.ts';
import type { Dispute } from '../retained/dispute.ts';
import { hasEnded } from '../retained/save.ts';

export interface NameState {
  /** The newest entry of the whole history, before the name was read. */
  lastEntryId: number;
  isRegistered: boolean;
  isBlocked: boolean;
  /** Only a dispute in force. */
  dispute: Dispute | undefined;
  /** Only a reservation whose last day is not over. */
  reservation: { password: string | null } | undefined;
  /** The newest auction that holds the name. */
  auction: Auction | undefined;
}

export async function readNameState(db: Database, name: string, now: Date): Promise<NameState> {
  return (await readNameStates(db, [name], now))[0]!;
}

/** Returns the states of at most a hundred names, in their order. Costs one round trip. */
export async function readNameStates(
  db: Database,
  names: readonly string[],
  now: Date,
): Promise<NameState[]> {
  // Bound values, of which a query takes a hundred: D1 bills each row of `json_each`.
  const nameList = [...names];
  const today = sql.raw(`'${dayOf(now)}'`);
  const [[newest], domainRows, retainedRows, disputeRows, auctionRows] = await db.batch([
    // Read first, so that every change during the other reads has a higher id.
    db.select({ id: max(history.id) }).from(history),
    db.select({ name: domains.name }).from(domains).where(inArray(domains.name, nameList)),
    db.select().from(retainedDomains).where(inArray(retainedDomains.name, nameList)),
    db
      .select()
      .from(disputes)
      .where(and(inArray(disputes.name, nameList), isInForce(today))),
    db
      .select()
      .from(auctions)
      .where(and(inArray(auctions.name, nameList), isHolding))
      .orderBy(desc(auctions.id)),
  ]);
  return names.map((name) => {
    const isOfName = (row: { name: string }) => row.name === name;
    const own = retainedRows.filter(isOfName);
    return {
      lastEntryId: newest?.id ?? 0,
      isRegistered: domainRows.some(isOfName),
      isBlocked: own.some(({ status }) => status === 'blocked'),
      dispute: disputeRows.find(isOfName),
      reservation: own.find((row) => row.status === 'reserved' && !hasEnded(row, now)),
      auction: auctionRows.find(isOfName),
    };
  });
}

/** True if nothing in `NameState` has changed since the entry. The cron's changes do not count. */
export function isNameUnchanged(name: string, lastEntryId: SQLWrapper | number): SQL {
  return sql`not exists (
    select 1 from ${history} where ${history.subject} in ('domain', 'auction', 'retained_domain', 'dispute')
      and ${history.subjectKey} = ${name} and ${history.id} > ${lastEntryId}
      and ${history.actorType} <> 'cron')`;
}

/** Returns the statements of consequences, each with its history, written if the change is. */
export function statementsOfConsequences(
  db: Database,
  { isWritten }: Pick<Change<unknown>, 'isWritten'>,
  changes: readonly (Change<unknown> | false | undefined)[],
) {
  return changes.flatMap((change) =>
    change ? statementsOf(db, { ...change, onlyIf: isWritten }) : [],
  );
}

/** `usedPasswords` are digests. */
export function passwordUpdate(
  operation: Operation,
  name: string,
  values: { password: string; usedPasswords: SQL },
): Change<void> {
  const isReserved = and(eq(retainedDomains.name, name), eq(retainedDomains.status, 'reserved'));
  const change = changeOf(operation, { type: 'retained_domain', key: name });
  return {
    ...change,
    action: 'update',
    changes: { password: { redacted: true } },
    statements: [
      operation.db.update(retainedDomains).set(values).where(and(isReserved, change.isWritten)),
    ],
    outcome: undefined,
  };
}
