import { sql } from 'drizzle-orm';
import { webhooks } from '../../../drizzle/schema.ts';
import { timeAfter } from '../../base/time/clock.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** The delays after failed attempts; the last one repeats. */
const retryDelays = [
  ...[5 * second, minute, 5 * minute, 30 * minute],
  ...[hour, 2 * hour, 4 * hour],
];

/** Longer than an attempt and its record take. */
const leaseMilliseconds = minute;

/** After this time a message counts as lost, and the next run of the cron sends another. */
export const queuePatience = 10 * minute;

export function leaseState(now: Date) {
  return pauseState(leaseMilliseconds, now);
}

export interface ReceiverAnswer {
  /** In a few words. */
  outcome: string;
  /** The HTTP status; null if nobody answered. */
  status: number | null;
  isDelivered: boolean;
  /** Milliseconds to wait, as the receiver asks; 0 if it does not. */
  retryAfter: number;
}

const maximumRetryAfter = 24 * hour;

export function stateAfter(
  { failures, failingSince }: typeof webhooks.$inferSelect,
  { isDelivered, status, retryAfter }: ReceiverAnswer,
  at: Date,
) {
  if (isDelivered) return { ...leaseState(at), failures: 0, failingSince: null, goneAt: null };
  const delay = retryDelays[failures] ?? retryDelays.at(-1)!;
  return {
    ...pauseState(Math.max(delay, Math.min(retryAfter, maximumRetryAfter)), at),
    failures: failures + 1,
    failingSince: failingSince ?? at.toISOString(),
    goneAt: status === 410 ? at.toISOString() : null,
  };
}

function pauseState(milliseconds: number, now: Date) {
  const resumesAt = timeAfter(now, milliseconds);
  return { resumesAt, queuedUntil: timeAfter(new Date(resumesAt), queuePatience) };
}

/** After this time, `resumesAt` is a pause after a failure. Before it, a consumer may hold the webhook. */
export function longestLease(now: Date): string {
  // The clock of the operator's machine may be behind the Worker's.
  return timeAfter(now, 2 * leaseMilliseconds);
}

/** Keeps short pauses: a consumer may hold the webhook, or they end soon anyway. */
export function endPause(now: Date) {
  const isResting = sql`${webhooks.resumesAt} > ${longestLease(now)}`;
  return {
    resumesAt: sql`iif(${isResting}, null, ${webhooks.resumesAt})`,
    queuedUntil: sql`iif(${isResting}, null, ${webhooks.queuedUntil})`,
  };
}
