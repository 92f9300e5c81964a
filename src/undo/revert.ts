import { and, asc, between, eq, gt, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { changesIdentity, history } from '../../drizzle/schema.ts';
import { everyRow } from '../base/database/every-row.ts';
import type { Database } from '../base/database/open.ts';
import { retry } from '../base/database/retry.ts';
import { RegistryError, throwProblems } from '../base/error.ts';
import { type HistoryEntry, nothingSince } from '../change/history/search.ts';
import type { Operation } from '../change/origin.ts';
import { changeEach } from '../change/write-many.ts';
import { findAuctionObstacles } from '../name/auction/operator/obstacles.ts';
import { recordedName } from '../name/domain/operator/name.ts';
import { canReturn } from './contact.ts';
import { type DomainRows, domainRows } from './domain.ts';
import { changesOf } from './kinds.ts';
import {
  findLinks,
  linkProblems,
  mixedProblems,
  registrarProblems,
  reversalProblems,
} from './problems.ts';
import { type Reversal, returning, reversalOf } from './reversal.ts';

export interface RevertPlan {
  request: string;
  reversals: Reversal[];
  /** The checked rows, which `revert` writes. */
  domains: DomainRows;
  /** Obstacles of restored names that do not prevent the revert. */
  warnings: string[];
  /** The newest history entry at the time of the plan. */
  seen: number;
}

/**
 * Plans the reversal of all changes that one command of the operator made. Throws `not_found` for a request that the
 * history does not have; otherwise a problem for each change that cannot be taken back: `invalid` for its kind,
 * `linked` for a contact that was added and to which a domain refers, `gone` where the values or the registrar of a
 * contact are gone, `changed_meanwhile` where something has changed since. The history has no index by request: `within`
 * restricts the entries that are read.
 */
export async function planRevert(
  operation: Operation,
  request: string,
  within?: SQL,
): Promise<RevertPlan> {
  const { db } = operation;
  const [range] = await retry(() =>
    db
      .select({
        first: sql<number | null>`min(${history.id})`,
        last: sql<number>`max(${history.id})`,
        seen: sql<number>`(select max(id) from ${history} as newest)`,
      })
      .from(history)
      .where(and(within, eq(history.requestId, request))),
  );
  const { first, last, seen } = range!;
  if (first === null) {
    const message = `the history has no change of request ${JSON.stringify(request)}`;
    throw new RegistryError('not_found', message);
  }
  const all = await Array.fromAsync(entriesOf(db, request, [first, last]));
  const remaining = all.filter((entry) => !isOver(entry));
  const every = (remaining.length > 0 ? remaining : all).map((entry) => ({
    ...reversalOf(entry),
    entry,
  }));
  const links = await findLinks(db, every);
  // A copy that another transfer has used again stays.
  const isTransfer = every.some(
    ({ subject, action, changes }) =>
      subject === 'domain' && action === 'update' && 'registrar' in changes,
  );
  const reversals = every.filter(
    ({ subject, uuid }) => !(isTransfer && subject === 'contact' && links.has(uuid)),
  );
  throwProblems(reversals.flatMap(({ entry }) => reversalProblems(entry, entry.newer)));
  throwProblems(mixedProblems(reversals));
  throwProblems(linkProblems(reversals, links));
  throwProblems(await registrarProblems(db, reversals));
  const inAuction = returning(reversals, 'auction').map(({ key }) => recordedName(key));
  throwProblems(await findAuctionObstacles(operation, inAuction, ['reserved', 'disputed']));
  const againstAuctions = await findAuctionObstacles(operation, inAuction, []);
  const domains = await domainRows(operation, reversals);
  const registered = returning(reversals, 'domain').map(({ key }) => recordedName(key));
  const againstDomains = await findAuctionObstacles(operation, registered, ['registered']);
  const warnings = [...againstAuctions, ...againstDomains].map(({ message }) => message);
  return { request, reversals, domains, warnings, seen };
}

type Entry = HistoryEntry & { newer: HistoryEntry | null };

/** Whether the cron has removed since what was added: a reservation after its last day, or an orphan. */
const isOver = ({ action, newer }: Entry) =>
  action === 'create' && newer?.action === 'delete' && newer.actorType === 'cron';

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
    where later.subject = 'contact' and later.action <> 'update'
      and later.subject_uuid = history.subject_uuid
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

/**
 * Makes the changes of a plan, all or none, under a request of its own, whose history names the request that it takes
 * back. It is one batch, which D1 stops after 30 seconds; 100,000 names take about eight. Throws what `planRevert`
 * throws if something has changed since.
 */
export async function revert(operation: Operation, plan: RevertPlan): Promise<void> {
  const { db, origin } = operation;
  const { request, seen, reversals, domains } = plan;
  const own = { ...origin, request: { ...origin.request, clientReference: request } };
  // Deletes contacts after their domains.
  const isOfContacts = ([some]: Reversal[]) => Number(some!.subject === 'contact');
  const kinds = [
    ...Map.groupBy(reversals, ({ subject, action }) => `${subject} ${action}`).values(),
  ].sort((one, other) => isOfContacts(one) - isOfContacts(other));
  const bySubject = Map.groupBy(reversals, ({ subject }) => subject);
  const inAuction = returning(reversals, 'auction').map(({ key }) => key);
  const isAsPlanned = and(
    nothingSince(seen, 'domain', inAuction),
    nothingSince(seen, 'retained_domain', inAuction),
    nothingSince(seen, 'dispute', [...domains.keys()]),
    // Restores domains only while their contacts belong to the same persons.
    bySubject.has('domain')
      ? sql`not exists (select 1 from ${history} not indexed
        where id > ${seen} and ${changesIdentity})`
      : undefined,
    ...Array.from(bySubject, ([subject, some]) => {
      const keys = some.map(({ key }) => key);
      return nothingSince(seen, subject, keys);
    }),
    ...returning(reversals, 'contact').map((reversal) => canReturn(reversal, seen)),
  );
  try {
    const reverting = { db, origin: own };
    const reverted = await Promise.all(kinds.map((some) => changesOf(reverting, some, domains)));
    await changeEach(reverting, { reverted: reverted.flat() }, isAsPlanned);
  } catch (error) {
    // Another plan says what has changed.
    if (error instanceof RegistryError) await planRevert(operation, request);
    throw error;
  }
}
