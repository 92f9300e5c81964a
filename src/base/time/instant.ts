import * as z from 'zod/mini';
import { expecting, unseenIn } from '../text/field.ts';
import { isDay } from './day.ts';

const form =
  /^(\d{4}-\d\d-\d\d)(?:T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d+))?)?(Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?)?$/;

/**
 * Returns the instant of an ISO 8601 date or date-time, in UTC unless it has an offset; a date means its beginning.
 * Cuts digits after milliseconds. Undefined for other text, and for years in UTC without four digits, so that instants
 * sort as text.
 */
export function instantOf(text: string): Date | undefined {
  const [, day, hour = '00', minute = '00', second = '00', fraction = '', offset = 'Z'] =
    form.exec(text) ?? [];
  if (day === undefined || !isDay(day)) return undefined;
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0');
  const zone = offset.replace(
    /^(.\d\d):?(\d\d)?$/,
    (_, hours, minutes = '00') => `${hours}:${minutes}`,
  );
  const instant = new Date(`${day}T${hour}:${minute}:${second}.${milliseconds}${zone}`);
  return /^\d{4}-/.test(instant.toISOString()) ? instant : undefined;
}

/** A day of the calendar, `YYYY-MM-DD`. */
export const dayRule = (error: string) => z.string(error).check(z.trim(), z.iso.date(error));

export const instantRule = (error: string) =>
  expecting(
    'a day or a time (ISO 8601): 2026-01-31, 2026-01-31T12:00Z',
    z.pipe(
      z.string(error).check(z.meta({ format: 'date-time' })),
      z.transform((text, { issues }) => {
        const instant = instantOf(text.trim());
        if (instant) return instant;
        const unseen = unseenIn(text.trim());
        const params = unseen && { params: { detail: `It ${unseen}.` } };
        issues.push({ code: 'custom', message: error, input: text, ...params });
        return z.NEVER;
      }),
    ),
  );
