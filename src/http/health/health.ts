import { settings } from '../../env.ts';
import { type Health, readHealth } from '../../health/health.ts';
import { logUnexpected } from '../../log.ts';
import { version } from '../../version.ts';
import { type AppContext, database } from '../context.ts';
import { newApp } from '../hono.ts';

/** Open to anybody: it says nothing that the lists do not show, and caches keep frequent requests off the database. */
export const health = newApp();

const maximumAgeSeconds = 5;

/** The last findings of this isolate, by database. Shared by all requests, because they do not depend on them. */
const known = new WeakMap<D1Database, { health: Health; readAt: number }>();

health.get('/', async (c) => {
  const { reasons, isDatabaseReachable, lists } = await recentHealth(c);
  const [reason] = settingsProblem(c) ?? reasons;
  const body = {
    status: reason === undefined ? 'ok' : 'failing',
    ...(reason !== undefined && { reason }),
    version,
    build: c.env.VERSION.id,
    database: { is_reachable: isDatabaseReachable },
    lists: Object.fromEntries(
      Object.entries(lists).map(([list, { published, isBehind }]) => [
        list,
        {
          count: published?.count ?? null,
          etag: published?.etag ?? null,
          published_at: published?.publishedAt ?? null,
          is_behind: isBehind ?? null,
        },
      ]),
    ),
  };
  c.header('Cache-Control', `public, max-age=${maximumAgeSeconds}`);
  return c.json(body, reason === undefined ? 200 : 503);
});

async function recentHealth(c: AppContext): Promise<Health> {
  const now = c.var.now.getTime();
  const last = known.get(c.env.DB);
  const age = last ? now - last.readAt : 0;
  // A clock that was set back is younger than what is remembered.
  if (last && age >= 0 && age < maximumAgeSeconds * 1000) return last.health;
  const health = await readHealth(database(c), c.env.LISTS, c.var.now);
  known.set(c.env.DB, { health, readAt: now });
  return health;
}

/** While a setting is wrong, everything that depends on settings answers 500. */
function settingsProblem(c: AppContext): string[] | undefined {
  try {
    settings(c.env);
    return undefined;
  } catch (error) {
    logUnexpected(error, c.var.requestId);
    return ['A setting is missing or malformed; the log says which.'];
  }
}
