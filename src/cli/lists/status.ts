import { listStatus } from '../../public-list/publish.ts';
import { reading } from '../command.ts';
import { run } from '../run.ts';
import { table } from '../text.ts';

export const command = reading('lists status --json').action((options) =>
  run(options, async ({ db, env }) => {
    const now = new Date();
    const states = await listStatus(db, env.LISTS, now);
    return {
      data: {
        lists: states.map(({ list, published, isBehind }) => ({
          list,
          count: published?.count ?? null,
          etag: published?.etag ?? null,
          published_at: published?.publishedAt ?? null,
          age_seconds: published ? ageSeconds(published.publishedAt, now) : null,
          behind: isBehind,
        })),
      },
      text: table(
        ['LIST', 'COUNT', 'ETAG', 'AGE', 'STATE'],
        states.map(({ list, published, isBehind }) => [
          list,
          published?.count ?? '-',
          published?.etag ?? '-',
          published ? readable(ageSeconds(published.publishedAt, now)) : '-',
          published ? (isBehind ? 'behind its source' : 'up to date') : 'never published',
        ]),
        '',
      ),
    };
  }),
);

function ageSeconds(publishedAt: string, now: Date): number {
  return Math.max(0, Math.round((now.getTime() - Date.parse(publishedAt)) / 1000));
}

/** In the largest unit that it fills: `3 h`. */
function readable(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}
