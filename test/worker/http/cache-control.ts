/**
 * Every `Cache-Control` of the Worker. The platform's cache is in front of it (`[cache]` in wrangler.toml), and its key is
 * the path and the query: one stored answer serves every host name, and every caller whose request has no
 * `Authorization`. After an error of the Worker it may repeat an answer that is too old. Therefore only what is the same
 * for everybody is public, no refusal is, and an alarm is never stored.
 */
const pathsOf: Record<string, RegExp> = {
  // Nobody keeps it: what has a caller, every refusal, the health, and what may differ.
  'private, no-store': /^/,
  // The lists, what is made from them, and the pages: kept for 15 seconds or until a publication purges the tag, and for
  // a day while the Worker fails, because an old list beats none.
  'public, max-age=15, stale-if-error=86400':
    /^\/(repp\/v1\/(auctions|retained_domains)([./]|$)|auctions\.atom$|(en|et)$)/,
  // A past day of a list, which no publication changes or purges.
  'public, max-age=31536000, immutable': /^\/repp\/v1\/(auctions|retained_domains)(\.csv)?$/,
  // Static files, by the platform’s default: asked for again each time, and not sent again to a client that has them. A
  // 404 looks the same, so a new file is there at once.
  'public, max-age=0, must-revalidate': /^\/(docs|assets|openapi\.json)(\/|$)/,
};

/** The problem of an answer's `Cache-Control`, if there is one. The contract of the interfaces requires the header. */
export function cachingProblem(path: string, status: number, value: string | undefined) {
  if (value === undefined) return undefined;
  const paths = pathsOf[value];
  if (!paths) return `the Cache-Control ${value} is not among those of cache-control.ts`;
  const isKept = value.includes('max-age') && !value.includes('max-age=0');
  const isRight = paths.test(path) && (!isKept || status === 200 || status === 304);
  return isRight ? undefined : `the Cache-Control of ${status} at ${path} is ${value}`;
}
