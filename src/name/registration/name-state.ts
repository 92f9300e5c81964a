import { and, desc, eq, inArray, max, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { auctions, disputes, domains, history, retainedDomains } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { dayOf } from '../../base/time/day.ts';
import type { Operation } from '../../change/origin.ts';
import { type Change, changeOf, statementsOf } from '../../change/write.ts';
import { type Auction, isHolding } from '../auction/read.ts';
import type { Dispute } from '../retained/dispute.ts';
import { isInForce } from '../retained/dispute.ts';
import { hasEnded } from '../retained/save.ts';

export interface NameState {
  /** In all of the history, when the name was looked at. */
  lastEntryId: number;
  isRegistered: boolean;
  isBlocked: boolean;
  /** Only one that is in force. */
  dispute: Dispute | undefined;
  /** Only one whose last day is not over. */
  reservation: { password: string | null } | undefined;
  /** The newest auction that is in progress, awaits payment or is paid. */
  auction: Auction | undefined;
}

export async function readNameState(db: Database, name: string, now: Date): Promise<NameState> {
  return (await readNameStates(db, [name], now))[0]!;
}

/** The states of at most a hundred names, in their order. One round trip. */
export async function readNameStates(
  db: Database,
  names: readonly string[],
  now: Date,
): Promise<NameState[]> {
  // A query takes a hundred bound values, and D1 bills each row of `json_each`.
  const these = [...names];
  const today = sql.raw(`'${dayOf(now)}'`);
  const [[newest], registered, retained, disputed, held] = await db.batch([
    // Read first, so that whatever changes during the other reads has a higher id.
    db.select({ id: max(history.id) }).from(history),
    db.select({ name: domains.name }).from(domains).where(inArray(domains.name, these)),
    db.select().from(retainedDomains).where(inArray(retainedDomains.name, these)),
    db
      .select()
      .from(disputes)
      .where(and(inArray(disputes.name, these), isInForce(today))),
    db
      .select()
      .from(auctions)
      .where(and(inArray(auctions.name, these), isHolding))
      .orderBy(desc(auctions.id)),
  ]);
  return names.map((name) => {
    const isItsOwn = (row: { name: string }) => row.name === name;
    const own = retained.filter(isItsOwn);
    return {
      lastEntryId: newest?.id ?? 0,
      isRegistered: registered.some(isItsOwn),
      isBlocked: own.some(({ status }) => status === 'blocked'),
      dispute: disputed.find(isItsOwn),
      reservation: own.find((row) => row.status === 'reserved' && !hasEnded(row, now)),
      auction: held.find(isItsOwn),
    };
  });
}

/** Whether nobody has changed what `NameState` shows of this name since the entry. What the cron ends is no change. */
export function isNameUnchanged(name: string, lastEntryId: SQLWrapper | number): SQL {
  return sql`not exists (
    select 1 from ${history} where ${history.subject} in ('domain', 'auction', 'retained_domain', 'dispute')
      and ${history.subjectKey} = ${name} and ${history.id} > ${lastEntryId}
      and ${history.actorType} <> 'cron')`;
}

/** Statements of changes that follow from another one, each with its own history, if that is written. */
export function statementsOfConsequences(
  db: Database,
  { isWritten }: Pick<Change<unknown>, 'isWritten'>,
  changes: readonly (Change<unknown> | false | undefined)[],
) {
  return changes.flatMap((change) =>
    change ? statementsOf(db, { ...change, onlyIf: isWritten }) : [],
  );
}

/** `usedPasswords` are the digests of those that are used up. */
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
