import { and, desc, eq } from 'drizzle-orm';
import {
  auctions,
  disputes,
  type HistorySubject,
  history,
  retainedDomains,
} from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import type { Page } from '../../base/database/paging.ts';
import { retry } from '../../base/database/retry.ts';
import { isStarted } from '../../name/auction/read.ts';
import type { NameStatus } from '../lists.ts';
import {
  auctionStep,
  buildSpans,
  disputedSpans,
  lasting,
  later,
  retainedStep,
  type Span,
  unknown,
} from './spans.ts';

export interface NameInterval {
  status: NameStatus;
  /** Null if the history no longer has the entry about its beginning. */
  from: string | null;
  until: string | null;
}

/** The newest entries of each subject: more than any name gets in its life. */
const maximumEntries = 2_000;

/**
 * Returns the intervals of the name's statuses, the oldest first, then by status. Disputes begin at midnight UTC. An
 * end by the calendar is the end of the last day. Costs one round trip.
 */
export async function readNameHistory(
  db: Database,
  name: string,
  now: Date,
): Promise<NameInterval[]> {
  const { action, actorType, changes, occurredAt: at } = history;
  const entriesOf = (subject: HistorySubject) =>
    db
      .select({ at, action, actorType, changes })
      .from(history)
      .where(and(eq(history.subject, subject), eq(history.subjectKey, name)))
      .orderBy(desc(history.id))
      .limit(maximumEntries);
  const { status, createdAt, lastDay } = retainedDomains;
  const [ofRetained, ofAuctions, ofDisputes, retained, started, disputed] = await retry(() =>
    db.batch([
      entriesOf('retained_domain'),
      entriesOf('auction'),
      entriesOf('dispute'),
      db
        .select({ status, from: createdAt, lastDay })
        .from(retainedDomains)
        .where(eq(retainedDomains.name, name)),
      db
        .select({ from: auctions.createdAt })
        .from(auctions)
        .where(and(eq(auctions.name, name), isStarted)),
      db.select().from(disputes).where(eq(disputes.name, name)).limit(maximumEntries),
    ]),
  );
  const steps = [
    ...ofRetained.reverse().flatMap(retainedStep),
    ...ofAuctions.reverse().flatMap(auctionStep),
  ];
  const present = [
    ...retained,
    ...started.map(({ from }) => ({ status: 'auction' as const, from, lastDay: null })),
  ];
  const spans = [...buildSpans(steps, present), ...disputedSpans(ofDisputes.reverse(), disputed)];
  return intervalsOf(spans, now.toISOString());
}

/** `next` is undefined on the last page. */
export function pageOfIntervals(
  all: readonly NameInterval[],
  { limit, offset, after, afterKey = unknown }: Page,
): { intervals: NameInterval[]; next: string | undefined } {
  const place = after === undefined ? '' : placeIn(afterKey, after);
  const rest = all.filter((interval) => placeOf(interval) > place).slice(offset);
  const intervals = rest.slice(0, limit);
  return { intervals, next: rest.length > limit ? placeOf(intervals.at(-1)!) : undefined };
}

const byStatus = ['auction', 'blocked', 'disputed', 'reserved'] satisfies NameStatus[];
const placeOf = ({ from, status }: Pick<NameInterval, 'from' | 'status'>) =>
  placeIn(from ?? unknown, byStatus.indexOf(status));
const placeIn = (instant: string, number: number) => instant + String(number).padStart(15, '0');

/** Spans of one status that touch or overlap become one interval. */
function intervalsOf(spans: readonly Span[], now: string): NameInterval[] {
  const joined: Span[] = [];
  const begun = spans.filter(({ from, until }) => from < until && from <= now);
  for (const span of begun.sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))) {
    const previous = joined.findLast(({ status }) => status === span.status);
    if (previous && span.from <= previous.until) previous.until = later(previous.until, span.until);
    else joined.push({ ...span });
  }
  return joined.map(({ status, from, until }) => ({
    status,
    from: from === unknown ? null : from,
    until: until <= now ? until : null,
  }));
}

/** `possible` are statuses whose beginning is unknown. */
export function statusesAt(
  intervals: readonly NameInterval[],
  instant: Date,
): { known: NameStatus[]; possible: NameStatus[] } {
  const at = instant.toISOString();
  const statusesOf = (hasBegun: (from: string | null) => boolean) =>
    intervals
      .filter(({ from, until }) => hasBegun(from) && (until ?? lasting) > at)
      .map(({ status }) => status);
  return {
    known: statusesOf((from) => from !== null && from <= at),
    possible: statusesOf((from) => from === null),
  };
}
