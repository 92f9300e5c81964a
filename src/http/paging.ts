import * as z from 'zod';
import type { Page } from '../database/paging.ts';
import { RegistryError } from '../error.ts';
import { onFirstUse } from '../on-first-use.ts';
import type { AppContext } from './context.ts';

/**
 * Paging. `offset` counts from the beginning, so it skips or repeats elements when others are deleted or added. `after`
 * names the place in the order where the previous page ended; clients take it from the `Link` (RFC 8288) of a full
 * page.
 */

const wholeNumber = (label: string, minimum: number, maximum: number) =>
  z
    .string(`${label} is invalid`)
    .meta({ minimum, maximum })
    .regex(/^-?\d+$/, `${label} is invalid`)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, {
      params: { reason: 'out_of_range' },
      error: `${label} is out of range`,
    });

/** The parameters of a listing. */
export const pageQuery = onFirstUse(() =>
  z.object({
    limit: wholeNumber('Limit', 1, 200).default(200),
    offset: wholeNumber('Offset', 0, Number.MAX_SAFE_INTEGER).optional(),
    after: z
      .base64('After is invalid')
      .transform(placeOf)
      .pipe(z.int('After is invalid'))
      .optional(),
  }),
);

/** The page that the parameters ask for. Throws `invalid` for `after` together with `offset`. */
export function requestedPage({
  limit,
  offset,
  after,
}: z.output<ReturnType<typeof pageQuery>>): Page {
  if (after !== undefined && offset !== undefined) {
    const detail = 'after and offset exclude each other.';
    throw new RegistryError([
      { reason: 'invalid', message: 'After is invalid', field: 'after', detail },
    ]);
  }
  return { limit, offset: offset ?? 0, after };
}

/** Links a full page of rows, whose places are their ids, to the page after it. */
export function linkAfter(c: AppContext, page: Page, rows: readonly { id: number }[]): void {
  if (rows.length >= page.limit) linkNext(c, page, rows.at(-1)?.id);
}

/** Links the page to the one that begins after `place`; without a place, it is the last one. */
export function linkNext(c: AppContext, { limit }: Page, place?: number): void {
  if (place === undefined) return;
  const url = new URL(c.req.url);
  const isKept = (name: string) =>
    !['offset', 'after'].includes(name) && c.var.knownParameters?.includes(name);
  const next = new URLSearchParams([...url.searchParams].filter(([name]) => isKept(name)));
  next.set('limit', String(limit));
  next.set('after', afterOf(place));
  url.search = next.toString();
  c.header('Link', `<${url.href}>; rel="next"`);
}

const placeDigits = 15;

/** Opaque to clients, so that an order may change without breaking them. */
function afterOf(place: number): string {
  return btoa(String(place).padStart(placeDigits, '0'));
}

/** NaN for what is not a place. */
function placeOf(after: string): number {
  const digits = atob(after);
  return digits.length === placeDigits && /^\d+$/.test(digits) ? Number(digits) : Number.NaN;
}
