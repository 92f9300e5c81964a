import { InvalidArgumentError } from '@commander-js/extra-typings';
import { isDay } from '../base/time/day.ts';
import { instantOf } from '../base/time/instant.ts';

const expected =
  'Write a day, 2026-01-31, or a time, 2026-01-31T12:00:00Z. Without an offset it is UTC.';

/** The instant of an option. For a day, its beginning in UTC. */
export function parseSince(text: string): Date {
  const instant = instantOf(text.trim());
  if (instant) return instant;
  throw new InvalidArgumentError(expected);
}

/** The end of an option's period. For a day, its end in UTC. */
export function parseUntil(text: string): Date {
  const since = parseSince(text);
  if (!isDay(text)) return since;
  // Texts of years after 9999 do not sort by time.
  const last = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
  return new Date(Math.min(since.getTime() + 24 * 60 * 60 * 1000, last));
}
