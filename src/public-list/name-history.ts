import { and, desc, eq } from 'drizzle-orm';
import {
  auctions,
  disputes,
  type HistorySubject,
  history,
  historyArchives,
  retainedDomains,
  untilClosed,
} from '../../drizzle/schema.ts';
import { isStarted } from '../auction/read.ts';
import type { Database } from '../database/open.ts';
import type { Page } from '../database/paging.ts';
import { retried } from '../database/retry.ts';
import { dayAfter, dayOf, startOfDay } from '../day.ts';
import type { Changes } from '../history/changes.ts';
import type { ListedStatus } from './lists.ts';

/** The states of a name on the public lists. */
export type NameStatus = ListedStatus | 'auction';

/** A time during which a name had a status. */
export interface NameInterval {
  status: NameStatus;
  /** Null if the entry about its beginning is no longer in the history. */
  from: string | null;
  /** The first moment without the status; null while it lasts. */
  until: string | null;
}

export interface NameHistory {
  intervals: NameInterval[];
  /** What was over by this instant may be missing; null if nothing was archived. */
  archivedUntil: string | null;
}

/** Of each kind of thing, the newest entries are read: more than any name gets in its life. */
const maximumEntries = 2_000;

/**
 * The times during which the name had a status, the oldest first, and by status where several began together. Changes
 * count from their times, disputes from midnight of their first days, and what ends by the calendar ends with its last
 * day, in UTC. One round trip.
 */
export async function readNameHistory(db: Database, name: string, now: Date): Promise<NameHistory> {
  const { action, actorType, changes, occurredAt: at } = history;
  const entriesOf = (subject: HistorySubject) =>
    db
      .select({ at, action, actorType, changes })
      .from(history)
      .where(and(eq(history.subject, subject), eq(history.subjectKey, name)))
      .orderBy(desc(history.id))
      .limit(maximumEntries);
  const { status, createdAt, lastDay } = retainedDomains;
  const { archivedUntil } = historyArchives;
  const [ofRetained, ofAuctions, ofDisputes, retained, started, disputed, archives] = await retried(
    () =>
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
        db.select({ archivedUntil }).from(historyArchives),
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
  const spans = [...heldSpans(steps, present), ...disputedSpans(ofDisputes.reverse(), disputed)];
  return {
    intervals: intervalsOf(spans, now.toISOString()),
    archivedUntil: archives[0]?.archivedUntil ?? null,
  };
}

/** An interval before its ends are judged: `until` may be to come. */
interface Span {
  status: NameStatus;
  from: string;
  until: string;
}

interface Entry {
  at: string;
  action: 'create' | 'update' | 'delete';
  actorType: string;
  changes: Changes;
}

/** Before and after every time. */
const unknown = '0000-01-01T00:00:00.000Z';
const lasting = '9999-12-31T23:59:59.999Z';

/** A change of whether, or until when, a name has a status: a last day before and after it, if it has the status. */
interface Step {
  at: string;
  status: NameStatus;
  before?: { lastDay: string | null } | undefined;
  after?: { lastDay: string | null } | undefined;
  /** Since when it has had the status, if it moved in with it. */
  since: string | null;
}

type Values = { from: string | null; to: string | null };

/** The values of a field, if the change has any. */
function valuesOf(changes: Changes, field: string): Values | undefined {
  const change = changes[field];
  return change && 'from' in change ? (change as Values) : undefined;
}

function sinceOf({ actorType, changes }: Entry): string | null {
  return actorType === 'move_in' ? (valuesOf(changes, 'createdAt')?.to ?? null) : null;
}

/** Only a reserved name has a last day, and only a last day changes while the name keeps its status. */
function retainedStep(entry: Entry): Step[] {
  const status = valuesOf(entry.changes, 'status');
  const lastDay = valuesOf(entry.changes, 'lastDay');
  if (!status && !lastDay) return [];
  return [
    {
      at: entry.at,
      status: (status?.from ?? status?.to ?? 'reserved') as NameStatus,
      before: status?.from === null ? undefined : { lastDay: lastDay?.from ?? null },
      after: status?.to === null ? undefined : { lastDay: lastDay?.to ?? null },
      since: sinceOf(entry),
    },
  ];
}

/** A name is in auction while one of its auctions is in progress, and never has two of these. */
function auctionStep(entry: Entry): Step[] {
  const { from, to } = valuesOf(entry.changes, 'status') ?? {};
  const held = (status: unknown) => (status === 'started' ? { lastDay: null } : undefined);
  const [before, after] = [held(from), held(to)];
  if (!before && !after) return [];
  return [{ at: entry.at, status: 'auction', before, after, since: sinceOf(entry) }];
}

/** When the name was reserved, blocked or in auction, from all steps and from what it is at present. */
function heldSpans(
  steps: readonly Step[],
  present: readonly { status: NameStatus; from: string; lastDay: string | null }[],
): Span[] {
  // The entry about an earlier beginning was archived, or never recorded.
  const held = new Map(
    present
      .filter(({ status, from }) => {
        const first = steps.find((step) => step.status === status);
        return !first || from < first.at;
      })
      .map(({ status, ...begun }) => [status, begun]),
  );
  const spans: Span[] = [];
  for (const { at, status, before, after, since } of steps) {
    if (before) {
      const from = held.get(status)?.from ?? unknown;
      spans.push({ status, from, until: earlier(at, endOf(before.lastDay)) });
      held.delete(status);
    }
    if (!after) continue;
    const isFree = (from: string) =>
      from < at && !spans.some((span) => span.status === status && span.until > from);
    held.set(status, { from: since !== null && isFree(since) ? since : at, ...after });
  }
  const last = [...held].map(([status, { from, lastDay }]) => ({
    status,
    from,
    until: endOf(lastDay),
  }));
  return [...spans, ...last];
}

type DisputedDays = Pick<
  typeof disputes.$inferSelect,
  'firstDay' | 'lastDay' | 'closedAt' | 'createdAt'
>;

type DisputedSpan = Span & { recordedAt: string };

/**
 * When the name was disputed: by the disputes on record, and by those that were taken back, from the day on which they were
 * recorded; but by none while it was closed, if its closing was taken back.
 */
function disputedSpans(entries: readonly Entry[], kept: readonly DisputedDays[]): Span[] {
  const gone: DisputedSpan[] = [];
  const gaps: Pick<Span, 'from' | 'until'>[] = [];
  /** By the time of a closing: when it was last made, because taking back its reversal gives it its first time. */
  const closings = new Map<string, string>();
  const madeAt = (closedAt: string) => closings.get(closedAt) ?? closedAt;
  for (const [index, { at, action, actorType, changes }] of entries.entries()) {
    const [first, last, closed] = ['firstDay', 'lastDay', 'closedAt'].map((field) =>
      valuesOf(changes, field),
    );
    if (action === 'update' && closed?.to && !closed.from && actorType !== 'move_in') {
      closings.set(closed.to, at);
    }
    if (action === 'update' && closed?.from && !closed.to) {
      gaps.push({ from: madeAt(closed.from), until: at });
    }
    if (action !== 'delete' || !first?.from) continue;
    const opening = entries
      .slice(0, index)
      .findLast((entry) => valuesOf(entry.changes, 'firstDay')?.to === first.from);
    const recordedAt = opening && !sinceOf(opening) ? opening.at : unknown;
    const span = disputedSpan({
      firstDay: first.from,
      lastDay: last?.from ?? untilClosed,
      closedAt: closed?.from ? madeAt(closed.from) : null,
      createdAt: recordedAt,
    });
    gone.push({
      ...span,
      from: later(span.from, startOfDay(dayOf(new Date(recordedAt)))),
      until: earlier(span.until, at),
    });
  }
  const spans = kept.map(({ closedAt, ...days }) =>
    disputedSpan({ ...days, closedAt: closedAt && madeAt(closedAt) }),
  );
  spans.push(...gone);
  const gapsOf = Map.groupBy(gaps, ({ from }) => disputeClosedAt(from, spans));
  return spans.flatMap((span) => {
    let { from } = span;
    const parts = (gapsOf.get(span) ?? []).map((gap) => {
      const part = { ...span, from, until: earlier(span.until, gap.from) };
      from = later(from, gap.until);
      return part;
    });
    return [...parts, { ...span, from }];
  });
}

function disputedSpan({ firstDay, lastDay, closedAt, createdAt }: DisputedDays): DisputedSpan {
  const until = earlier(endOf(lastDay), closedAt ?? lasting);
  return { status: 'disputed', from: startOfDay(firstDay), until, recordedAt: createdAt };
}

/** The dispute that was closed at an instant: of those on record then, the first that was not over. */
function disputeClosedAt(at: string, spans: readonly DisputedSpan[]): DisputedSpan | undefined {
  // The same closing, made again, ends the dispute at this instant.
  const open = spans.filter(({ recordedAt, until }) => recordedAt <= at && at <= until);
  return open.reduce<DisputedSpan | undefined>(
    (first, span) => (first && first.from <= span.from ? first : span),
    undefined,
  );
}

/** A page of the intervals, and the place of its last one if more follow. */
export function pageOfIntervals(
  all: readonly NameInterval[],
  { limit, offset, after, afterInstant = unknown }: Page,
): { intervals: NameInterval[]; next: string | undefined } {
  const place = after === undefined ? '' : placeIn(afterInstant, after);
  const rest = all.filter((interval) => placeOf(interval) > place).slice(offset);
  const intervals = rest.slice(0, limit);
  return { intervals, next: rest.length > limit ? placeOf(intervals.at(-1)!) : undefined };
}

const byStatus = ['auction', 'blocked', 'disputed', 'reserved'] satisfies NameStatus[];
const placeOf = ({ from, status }: Pick<NameInterval, 'from' | 'status'>) =>
  placeIn(from ?? unknown, byStatus.indexOf(status));
const placeIn = (instant: string, number: number) => instant + String(number).padStart(15, '0');

/** The spans that have begun, in order; those of one status that touch or overlap are one. */
function intervalsOf(spans: readonly Span[], now: string): NameInterval[] {
  const joined: Span[] = [];
  const begun = spans.filter(({ from, until }) => from < until && from <= now);
  for (const span of begun.sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1))) {
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

const earlier = (one: string, other: string) => (one < other ? one : other);
const later = (one: string, other: string) => (one > other ? one : other);

function endOf(lastDay: string | null): string {
  return lastDay === null || lastDay === untilClosed ? lasting : startOfDay(dayAfter(lastDay));
}

/** The statuses of the name at an instant, and those that it may have had, because a beginning is not known. */
export function statusesAt(
  intervals: readonly NameInterval[],
  instant: Date,
): { known: NameStatus[]; possible: NameStatus[] } {
  const at = instant.toISOString();
  const statusesOf = (isOne: (from: string | null) => boolean) =>
    intervals
      .filter(({ from, until }) => isOne(from) && (until ?? lasting) > at)
      .map(({ status }) => status);
  return {
    known: statusesOf((from) => from !== null && from <= at),
    possible: statusesOf((from) => from === null),
  };
}
