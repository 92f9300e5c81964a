import * as z from 'zod/mini';
import { fromBase64, toBase64 } from '../../../base/bytes/encoding.ts';
import type { Order, Page } from '../../../base/database/paging.ts';
import { RegistryError } from '../../../base/error.ts';
import { onFirstUse } from '../../../base/on-first-use.ts';
import type { AppContext } from './context.ts';
import { query } from './input.ts';

/**
 * `offset` counts from the beginning, so it skips or repeats elements when others are added or removed. `after` is the end of the previous
 * page; clients take it from the `Link` (RFC 8288) of a full page.
 */

export const wholeNumber = (label: string, minimum: number, maximum: number) =>
  z
    .pipe(
      z
        .string(`${label} is invalid`)
        .check(z.meta({ minimum, maximum }), z.regex(/^-?\d+$/, `${label} is invalid`)),
      z.transform(Number),
    )
    .check(
      z.refine((value) => value >= minimum && value <= maximum, {
        params: { reason: 'out_of_range' },
        error: `${label} is not from ${minimum} to ${maximum}`,
      }),
    );

/** 15 digits, after the time or day in an order by them, and after `=` and the name's key, of whatever moved in, in an order by name. */
const placePattern = /^(\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d\.\d{3}Z)?|=[\s\S]*)?(\d{15})$/u;

export const pageQuery = onFirstUse(() =>
  z.object({
    limit: z._default(wholeNumber('Limit', 1, 200), 200),
    offset: z.optional(wholeNumber('Offset', 0, Number.MAX_SAFE_INTEGER)),
    after: z.optional(
      z.pipe(
        z.pipe(
          z.base64('After is invalid'),
          z.transform((text) => new TextDecoder().decode(fromBase64(text))),
        ),
        z.string().check(z.regex(placePattern, 'After is invalid')),
      ),
    ),
  }),
);

const maximumOffset = 10_000;

/** The query of a list that reads every row before an offset. Therefore the offset is bounded. */
export const boundedPageQuery = onFirstUse(() =>
  z.object({ ...pageQuery().shape, offset: z.optional(wholeNumber('Offset', 0, maximumOffset)) }),
);

export const expectedOfPage = {
  limit: 'a whole number from 1 to 200',
  offset: 'a whole number from 0',
  after: 'the value from the link of the previous page',
};

export const takesPage = query(pageQuery, expectedOfPage);

export const takesBoundedPage = query(boundedPageQuery, {
  ...expectedOfPage,
  offset: `a whole number from 0 to ${maximumOffset}; beyond it, follow the links from the first page`,
});

/** Throws `invalid` for `after` together with `offset`, and for an `after` of another order. */
export function requestedPage(
  { limit, offset, after }: z.output<ReturnType<typeof pageQuery>>,
  order: Order = 'number',
): Page {
  if (after === undefined) return { limit, offset: offset ?? 0 };
  const [, key, number] = placePattern.exec(after)!;
  const orderOfTime = key?.includes('T') ? 'time' : 'day';
  const orderOfKey = key === undefined ? 'number' : key.startsWith('=') ? 'name' : orderOfTime;
  if (offset === undefined && orderOfKey === order) {
    return { limit, offset: 0, after: Number(number), afterKey: key };
  }
  const detail =
    offset === undefined
      ? 'after is from a list in another order.'
      : 'after and offset exclude each other.';
  throw new RegistryError([
    { reason: 'invalid', message: 'After is invalid', field: 'after', detail },
  ]);
}

/** Links a full page of rows to the next one by the last id. */
export function linkAfter(c: AppContext, page: Page, rows: readonly { id: number }[]): void {
  if (rows.length >= page.limit) linkNext(c, page, rows.at(-1)?.id);
}

/** Links the page to the next one, after `place`. The last page has no `place`. */
export function linkNext(c: AppContext, page: Page, place?: number | string): void {
  if (place !== undefined) c.header('Link', nextLink(c, page, place));
}

/** At the host of the request, to which a client certificate may belong, unless another is given. */
export function nextLink(
  c: AppContext,
  { limit }: Page,
  place: number | string,
  origin?: string,
): string {
  const url = new URL(c.req.url);
  const isKept = (name: string) =>
    !['offset', 'after'].includes(name) && c.var.knownParameters?.includes(name);
  const next = new URLSearchParams([...url.searchParams].filter(([name]) => isKept(name)));
  next.set('limit', String(limit));
  // Opaque to clients, so that an order may change without breaking them.
  next.set('after', toBase64(new TextEncoder().encode(String(place).padStart(15, '0'))));
  return `<${origin ?? url.origin}${url.pathname}?${next}>; rel="next"`;
}
