import type * as z from 'zod/mini';
import { unknownFields } from './body-shape.ts';
import type { AppContext } from './context.ts';

/** Names the body's unknown fields in `Ignored-Fields`, by their paths, and others that are ignored. */
export function nameIgnoredFields(
  c: AppContext,
  shape: z.ZodMiniObject,
  body: object,
  others: readonly string[] = [],
): void {
  const paths = new Set([...unknownFields(shape, body), ...others]);
  if (paths.size > 0) c.header('Ignored-Fields', headerList([...paths]));
}

/** Names the query's unknown parameters in `Ignored-Parameters`, each once. */
export function nameIgnoredParameters(c: AppContext): void {
  const start = c.req.url.indexOf('?');
  if (start < 0) return;
  const names = new Set(new URLSearchParams(c.req.url.slice(start)).keys());
  const ignored = [...names].filter((name) => !c.var.knownParameters?.includes(name));
  if (ignored.length > 0) c.res.headers.set('Ignored-Parameters', headerList(ignored));
}

const maximumHeaderLength = 1024;

/**
 * Joins names by commas. Commas, % and everything but visible ASCII are percent-encoded. A list that is too long is cut
 * after a name and ends with `...`.
 */
function headerList(names: readonly string[]): string {
  const encoded = names.map((name) =>
    name
      .toWellFormed()
      .replace(/[^\x21-\x2b\x2d-\x7e]|%/gu, encodeURIComponent)
      .slice(0, maximumHeaderLength),
  );
  const list = encoded.join(', ');
  if (list.length <= maximumHeaderLength) return list;
  return `${list.slice(0, list.lastIndexOf(', ', maximumHeaderLength))}, ...`;
}
