import { and, desc, eq, max, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
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

/** One round trip. */
export async function readNameState(db: Database, name: string, now: Date): Promise<NameState> {
  const [[newest], [domain], retained, [dispute], [auction]] = await db.batch([
    // Read first, so that whatever changes during the other reads has a higher id.
    db.select({ id: max(history.id) }).from(history),
    db.select({ id: domains.id }).from(domains).where(eq(domains.name, name)),
    db.select().from(retainedDomains).where(eq(retainedDomains.name, name)),
    db
      .select()
      .from(disputes)
      .where(sql`name = ${name} and ${isInForce(dayOf(now))}`)
      .limit(1),
    db
      .select()
      .from(auctions)
      .where(and(eq(auctions.name, name), isHolding))
      .orderBy(desc(auctions.id))
      .limit(1),
  ]);
  return {
    lastEntryId: newest?.id ?? 0,
    isRegistered: domain !== undefined,
    isBlocked: retained.some(({ status }) => status === 'blocked'),
    dispute,
    reservation: retained.find((row) => row.status === 'reserved' && !hasEnded(row, now)),
    auction,
  };
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
