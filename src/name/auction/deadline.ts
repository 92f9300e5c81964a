import { dayOf, isDay } from '../../base/time/day.ts';

/** Whether a day, which lasts to its end in UTC, or an instant has passed. */
export function hasPassed(deadline: string, now: Date): boolean {
  return isDay(deadline) ? deadline < dayOf(now) : Date.parse(deadline) < now.getTime();
}
