import * as z from 'zod/mini';
import { RegistryError } from '../../base/error.ts';
import { currentTime } from '../../base/time/clock.ts';
import { monthsBefore } from '../../base/time/day.ts';
import { instantRule } from '../../base/time/instant.ts';
import { newApp } from '../../worker/http/request/context.ts';
import { body, limitBody } from '../../worker/http/request/input.ts';
import { moveClock, resetSandbox } from './move.ts';

export const sandbox = newApp();

sandbox.get('/clock', (c) => c.json({ now: currentTime() }));

const clockBody = z.object({
  now: z.optional(instantRule('is not an ISO 8601 date-time')),
  advance: z.optional(z.iso.duration('is not an ISO 8601 duration')),
});

const takesTime = body(() => clockBody);

sandbox.post('/clock', limitBody, takesTime, async (c) => {
  const { now, advance } = c.req.valid('json');
  if ((now === undefined) === (advance === undefined)) {
    throw new RegistryError('invalid', 'either now or advance is required');
  }
  const to = now ?? instantAfter(currentTime(), advance ?? '');
  checkDistance(to, now ? 'now' : 'advance');
  await moveClock(c.env, to);
  return c.json({ now: currentTime() });
});

sandbox.post('/reset', async (c) => {
  await resetSandbox(c.env);
  return c.json({ now: currentTime() });
});

/** Each day takes a run of the cron. */
const maximumDays = 366;

function checkDistance(to: Date, field: string): void {
  const days = (to.getTime() - currentTime().getTime()) / (24 * 60 * 60 * 1000);
  if (days >= 0 && days <= maximumDays) return;
  const problem =
    days < 0
      ? 'is before the time of the sandbox, which only a reset sets back'
      : `is more than ${maximumDays} days ahead`;
  throw new RegistryError('out_of_range', problem, field);
}

/** In UTC. An invalid Date if out of range. */
export function instantAfter(instant: Date, duration: string): Date {
  const [date = '', time = ''] = duration.replace(',', '.').split('T');
  const count = (part: string, unit: string) =>
    Number(new RegExp(`([\\d.]+)${unit}`).exec(part)?.[1] ?? 0);
  const later = monthsBefore(instant, -(count(date, 'Y') * 12 + count(date, 'M')));
  const hours = (count(date, 'W') * 7 + count(date, 'D')) * 24 + count(time, 'H');
  const seconds = (hours * 60 + count(time, 'M')) * 60 + count(time, 'S');
  return new Date(later.getTime() + seconds * 1000);
}
