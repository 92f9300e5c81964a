import { and, asc, between, eq, gt, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { type HistorySubject, history, registrars } from '../../../drizzle/schema.ts';
import { everyRow } from '../../base/database/every-row.ts';
import { isIn } from '../../base/database/json-rows.ts';
import type { Database } from '../../base/database/open.ts';
import { retried } from '../../base/database/retry.ts';
import { RegistryError, throwProblems } from '../../base/error.ts';
import type { HistoryEntry } from '../../change/history/search.ts';
import type { Origin } from '../../change/write.ts';
import { findAuctionObstacles } from '../../name/auction/obstacles.ts';
import { parseDomainName } from '../../name/domain/name.ts';
import { hasEnded } from '../../name/retained/end.ts';
import { domainRows } from './domain.ts';
import { linkProblems, mixedProblems, reversalProblems } from './problems.ts';
import { isRevertOf, problemOf, type Reversal, reversalOf, valuesAfter } from './reversal.ts';

export interface RevertPlan {
  /** The request whose changes are taken back. */
  request: string;
  /** The kinds of things that it changed. */
  subjects: HistorySubject[];
  reversals: Reversal[];
  /** Removals that stay: of reserved names whose last day is over, which would be public until the cron removes them. */
  over: Reversal[];
  /** What stands against domains that come back, which the registry may have nevertheless. */
  warnings: string[];
  /** The newest entry of history when this was planned. */
  seen: number;
  /** The command that has taken the request back before. */
  doneBy: HistoryEntry | null;
}

/**
 * Plans the reversal of all changes that one command of the operator made. Throws `not_found` for a request that the
 * history does not have; otherwise a problem for each change that cannot be taken back: `invalid` for its kind, `linked`
 * for a contact that was added and to which a domain refers, `gone` where the values are no longer in the history, or the
 * registrar of a contact is gone, `changed_meanwhile` where something has changed since.
 */
export async function planRevert(
  db: Database,
  origin: Pick<Origin, 'request'>,
  request: string,
): Promise<RevertPlan> {
  const [range] = await retried(() =>
    db
      .select({
        first: sql<number | null>`min(${history.id})`,
        last: sql<number>`max(${history.id})`,
        seen: sql<number>`(select max(id) from ${history} as newest)`,
      })
      .from(history)
      .where(eq(history.requestId, request)),
  );
  const { first, last, seen } = range!;
  if (first === null) {
    const message = `the history has no change of request ${JSON.stringify(request)}`;
    throw new RegistryError('not_found', message);
  }
  const all = await Array.fromAsync(entriesOf(db, request, [first, last]));
  const isOver = ({ subject, action, changes }: Reversal) =>
    subject === 'retained_domain' &&
    action === 'create' &&
    hasEnded(valuesAfter(changes), origin.request.at);
  const entries = all.filter((entry) => !isOver(reversalOf(entry)));
  const subjects = [...new Set(all.map(({ subject }) => subject))];
  const plan = {
    request,
    subjects,
    seen,
    reversals: entries.map(reversalOf),
    over: all.map(reversalOf).filter(isOver),
    warnings: [],
    doneBy: null,
  };
  if (entries.length > 0 && entries.every((entry) => isRevertOf(request, entry.newer))) {
    return { ...plan, reversals: [], doneBy: entries[0]!.newer };
  }
  throwProblems(entries.flatMap((entry) => reversalProblems(entry, entry.newer)));
  throwProblems(mixedProblems(plan.reversals));
  throwProblems(await linkProblems(db, plan.reversals));
  await checkRegistrars(db, plan.reversals);
  await checkAuctions(db, origin, plan.reversals);
  await domainRows(db, plan.reversals);
  return { ...plan, warnings: await domainWarnings(db, origin, plan.reversals) };
}

type Entry = HistoryEntry & { newer: HistoryEntry | null };

/** The entries of the request, each with the newest entry about the same thing that others wrote since. */
function entriesOf(db: Database, request: string, [first, last]: [number, number]) {
  const newer = alias(history, 'newer');
  // Only a reserved name can change and stay.
  const statusIn = (entry: 'later' | 'history') =>
    sql.raw(
      `coalesce(${entry}.changes ->> '$.status.from', ${entry}.changes ->> '$.status.to', 'reserved')`,
    );
  const isNewer = sql`later.id > history.id and later.request_id is not ${request}`;
  const aboutKey = sql`select max(later.id) from ${history} as later
    where later.subject = history.subject and later.subject_key = history.subject_key and ${isNewer}
      and (later.subject <> 'retained_domain' or ${statusIn('later')} = ${statusIn('history')})`;
  // A contact may have come back with another code.
  const aboutContact = sql`select max(later.id) from ${history} as later
    where later.subject = 'contact' and later.action <> 'update' and later.subject_uuid = history.subject_uuid
      and history.subject = 'contact' and ${isNewer}`;
  const isNewest = sql`${newer.id} = max(ifnull((${aboutKey}), 0), ifnull((${aboutContact}), 0))`;
  return everyRow<Entry>(async ({ after, limit }) => {
    const rows = await db
      .select({ entry: history, newer })
      .from(history)
      .leftJoin(newer, isNewest)
      .where(
        and(
          between(history.id, first, last),
          gt(history.id, after?.id ?? 0),
          eq(history.requestId, request),
        ),
      )
      .orderBy(asc(history.id))
      .limit(limit);
    return rows.map(({ entry, newer }) => ({ ...entry, newer }));
  });
}

/** Throws a problem for each contact that would be there again and whose registrar is not known, or is gone. */
async function checkRegistrars(db: Database, reversals: readonly Reversal[]): Promise<void> {
  const again = reversals.filter(
    ({ subject, action }) => subject === 'contact' && action === 'create',
  );
  const codes = JSON.stringify(again.map(({ registrar }) => registrar));
  const rows = await retried(() =>
    db.select({ code: registrars.code }).from(registrars).where(isIn(registrars.code, codes)),
  );
  const known = new Set<string | null>(rows.map(({ code }) => code));
  const problems = again
    .filter(({ registrar }) => !known.has(registrar))
    .map(({ entry, registrar }) => {
      const whose =
        registrar === null
          ? 'the history does not say which registrar it belonged to'
          : `it belonged to registrar ${registrar}, which is gone`;
      return problemOf(entry, 'gone', whose);
    });
  throwProblems(problems);
}

/** The names of the auctions that would be in progress again. */
export function namesInAuctionAgain(reversals: readonly Reversal[]): string[] {
  return reversals
    .filter(({ subject, action }) => subject === 'auction' && action === 'create')
    .map(({ key }) => key);
}

/** Throws `taken` if an auction that would be in progress again is of a name that must not be in auction now. */
async function checkAuctions(
  db: Database,
  origin: Pick<Origin, 'request'>,
  reversals: readonly Reversal[],
): Promise<void> {
  const names = namesInAuctionAgain(reversals).map(parseDomainName);
  throwProblems(await findAuctionObstacles(db, origin, names, ['reserved', 'disputed']));
}

async function domainWarnings(
  db: Database,
  origin: Pick<Origin, 'request'>,
  reversals: readonly Reversal[],
): Promise<string[]> {
  const again = reversals.filter(
    ({ subject, action }) => subject === 'domain' && action === 'create',
  );
  const names = again.map(({ key }) => parseDomainName(key));
  return (await findAuctionObstacles(db, origin, names, ['domain'])).map(({ message }) => message);
}
