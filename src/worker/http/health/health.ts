import { logUnexpected } from '../../../base/log.ts';
import { plainText, type Sentence } from '../../../base/text/sentence.ts';
import { version } from '../../../base/version.ts';
import { settings } from '../../settings.ts';
import { type AppContext, newApp } from '../request/context.ts';
import { recentHealth } from '../request/recent.ts';

/**
 * Open to anybody: it says nothing that the lists do not show. No cache keeps it, because the platform may repeat a cached answer while the
 * Worker fails.
 */
export const health = newApp();

health.get('/', async (c) => {
  const { reasons, isDatabaseReachable, lists } = await recentHealth(c);
  const [sentence] = settingsProblem(c) ?? reasons;
  const reason = sentence && plainText(sentence);
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
  return c.json(body, reason === undefined ? 200 : 503);
});

/** While a setting is wrong, everything that depends on settings answers 500. */
function settingsProblem(c: AppContext): Sentence[] | undefined {
  try {
    settings(c.env);
    return undefined;
  } catch (error) {
    logUnexpected(error, c.var.requestId);
    return [['A setting is missing or malformed; the log says which.']];
  }
}
