import * as z from 'zod/mini';
import { expecting } from '../text/field.ts';

/**
 * An ISO 8601 date-time, in UTC unless it has an offset. Its year in UTC has four digits, so that instants are in the
 * order of their text.
 */
export const instantRule = (error: string) =>
  expecting(
    'a date and time (ISO 8601): 2026-01-31T12:00:00.000Z',
    z
      .pipe(
        z.iso.datetime({ offset: true, local: true, error }),
        z.transform((text) => new Date(/Z$|[+-]\d\d:\d\d$/.test(text) ? text : `${text}Z`)),
      )
      .check(z.refine((instant) => /^\d{4}-/.test(instant.toISOString()), error)),
  );
