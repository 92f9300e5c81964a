import type { webhooks } from '../../../drizzle/schema.ts';
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
const holdMilliseconds = minute;

/** After this time a message counts as lost, and the next run of the cron sends another. */
const queuePatience = 10 * minute;

/** Until when a process that sends at this time holds the webhook. */
export const holdFrom = (now: Date) => timeAfter(now, holdMilliseconds);

/** The turn of a message that comes at this time. */
export const turnFrom = (at: Date) => timeAfter(at, queuePatience);

export interface ReceiverAnswer {
  /** In a few words. */
  outcome: string;
  /** The HTTP status; null if nobody answered. */
  status: number | null;
  isDelivered: boolean;
  /** Milliseconds to wait, as the receiver asks; 0 if it does not. */
  retryAfter: number;
}

interface NextState {
  failures?: number;
  failingSince?: string | null;
  goneAt: string | null;
  retryAfter: string | null;
  resumesAt?: string | null;
  heldUntil: string | null;
  /** The next turn, after a delivery that failed. */
  queuedUntil?: string;
}

const maximumRetryAfter = 24 * hour;

/**
 * The webhook stays held after a success or a test. A test that fails changes nothing for deliveries, unless the
 * receiver is gone.
 */
export function stateAfter(
  { failures, failingSince }: typeof webhooks.$inferSelect,
  { isDelivered, status, retryAfter }: ReceiverAnswer,
  at: Date,
  { isTest }: { isTest: boolean },
): NextState {
  const heldUntil = holdFrom(at);
  if (isDelivered) {
    const fine = { failures: 0, failingSince: null, resumesAt: null };
    return { ...fine, goneAt: null, retryAfter: null, heldUntil };
  }
  const rest = Math.min(retryAfter, maximumRetryAfter);
  const isGone = status === 410;
  const asked = {
    goneAt: isGone ? at.toISOString() : null,
    retryAfter: rest > 0 ? timeAfter(at, rest) : null,
  };
  const since = failingSince ?? at.toISOString();
  if (isTest) return { ...asked, heldUntil, ...(isGone && { failingSince: since }) };
  const delay = retryDelays[failures] ?? retryDelays.at(-1)!;
  const resumesAt = timeAfter(at, Math.max(delay, rest));
  return {
    ...asked,
    ...{ failures: failures + 1, failingSince: since, resumesAt },
    ...{ heldUntil: null, queuedUntil: turnFrom(new Date(resumesAt)) },
  };
}

/** Deliveries go on with the next message. */
export const noPause = { resumesAt: null, queuedUntil: null };
