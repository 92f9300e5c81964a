import { type disputes, untilClosed } from '../../../drizzle/schema.ts';
import { dayAfter, dayOf, startOfDay } from '../../base/time/day.ts';
import type { Changes } from '../../change/history/changes.ts';
import type { NameStatus } from '../lists.ts';

/** `until` may be in the future. */
export interface Span {
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
export const unknown = '0000-01-01T00:00:00.000Z';
export const lasting = '9999-12-31T23:59:59.999Z';

/** `before` and `after` are absent where the name lacks the status. */
interface Step {
  at: string;
  status: NameStatus;
  before?: { lastDay: string | null } | undefined;
  after?: { lastDay: string | null } | undefined;
  /** When the status began, if the name moved in with it. */
  since: string | null;
}

type Values = { from: string | null; to: string | null };

function valuesOf(changes: Changes, field: string): Values | undefined {
  const change = changes[field];
  return change && 'from' in change ? (change as Values) : undefined;
}

function sinceOf({ actorType, changes }: Entry): string | null {
  return actorType === 'move_in' ? (valuesOf(changes, 'createdAt')?.to ?? null) : null;
}

/** Only a reserved name has a last day, and only a last day changes while the name keeps its status. */
export function retainedStep(entry: Entry): Step[] {
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

/** A name never has two auctions in progress. */
export function auctionStep(entry: Entry): Step[] {
  const { from, to } = valuesOf(entry.changes, 'status') ?? {};
  const statusIf = (status: unknown) => (status === 'started' ? { lastDay: null } : undefined);
  const [before, after] = [statusIf(from), statusIf(to)];
  if (!before && !after) return [];
  return [{ at: entry.at, status: 'auction', before, after, since: sinceOf(entry) }];
}

export function buildSpans(
  steps: readonly Step[],
  present: readonly { status: NameStatus; from: string; lastDay: string | null }[],
): Span[] {
  // Statuses whose beginning has no entry.
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
 * Returns the spans of the disputes on record, and of deleted ones from the day of their recording. Leaves out times
 * during which a dispute was closed, even if it was opened again.
 */
export function disputedSpans(entries: readonly Entry[], present: readonly DisputedDays[]): Span[] {
  const deleted: DisputedSpan[] = [];
  const gaps: Pick<Span, 'from' | 'until'>[] = [];
  /**
   * Maps `closedAt` to the time when the closing took effect. They differ if its reversal was undone, which restores
   * the first time.
   */
  const closings = new Map<string, string>();
  const closingTime = (closedAt: string) => closings.get(closedAt) ?? closedAt;
  for (const [index, { at, action, actorType, changes }] of entries.entries()) {
    const [first, last, closed] = ['firstDay', 'lastDay', 'closedAt'].map((field) =>
      valuesOf(changes, field),
    );
    if (action === 'update' && closed?.to && !closed.from && actorType !== 'move_in') {
      closings.set(closed.to, at);
    }
    if (action === 'update' && closed?.from && !closed.to) {
      gaps.push({ from: closingTime(closed.from), until: at });
    }
    if (action !== 'delete' || !first?.from) continue;
    const opening = entries
      .slice(0, index)
      .findLast((entry) => valuesOf(entry.changes, 'firstDay')?.to === first.from);
    const recordedAt = opening && !sinceOf(opening) ? opening.at : unknown;
    const span = disputedSpan({
      firstDay: first.from,
      lastDay: last?.from ?? untilClosed,
      closedAt: closed?.from ? closingTime(closed.from) : null,
      createdAt: recordedAt,
    });
    deleted.push({
      ...span,
      from: later(span.from, startOfDay(dayOf(new Date(recordedAt)))),
      until: earlier(span.until, at),
    });
  }
  const spans = present.map(({ closedAt, ...days }) =>
    disputedSpan({ ...days, closedAt: closedAt && closingTime(closedAt) }),
  );
  spans.push(...deleted);
  // A dispute that was closed and opened again becomes several spans.
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

/** Finds the first dispute that was on record and not over at that instant. */
function disputeClosedAt(at: string, spans: readonly DisputedSpan[]): DisputedSpan | undefined {
  // The same closing, made again, ends the dispute at this instant.
  const open = spans.filter(({ recordedAt, until }) => recordedAt <= at && at <= until);
  return open.reduce<DisputedSpan | undefined>(
    (first, span) => (first && first.from <= span.from ? first : span),
    undefined,
  );
}

const earlier = (a: string, b: string) => (a < b ? a : b);
export const later = (a: string, b: string) => (a > b ? a : b);

function endOf(lastDay: string | null): string {
  return lastDay === null || lastDay === untilClosed ? lasting : startOfDay(dayAfter(lastDay));
}
