import * as z from 'zod';

/** An ISO 8601 date-time. Without an offset it is UTC, like every instant in the registry. */
export const instantRule = (error: string) =>
  z.iso
    .datetime({ offset: true, local: true, error })
    .transform((text) => new Date(/Z$|[+-]\d\d:\d\d$/.test(text) ? text : `${text}Z`));
