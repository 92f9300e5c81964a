import { currentTime } from '../../clock.ts';
import type { Published } from '../../public-list/format/head.ts';
import { listStatus } from '../../public-list/publish/publish.ts';
import { reading } from '../command.ts';
import { run } from '../run.ts';
import { table } from '../text.ts';

export const command = reading('lists status --json').action((options) =>
  run(options, async ({ db, env }) => {
    const now = currentTime();
    const states = await listStatus(db, env.LISTS, now);
    return {
      data: {
        lists: states.map(({ list, published, isBehind }) => ({
          list,
          count: published?.count ?? null,
          etag: published?.etag ?? null,
          published_at: published?.publishedAt ?? null,
          age_seconds: published ? ageSeconds(published.publishedAt, now) : null,
          blocks: published?.blocks ?? null,
          bytes: published?.bytes ?? null,
          last_change: published ? { added: published.added, removed: published.removed } : null,
          took_ms: published?.tookMilliseconds ?? null,
          behind: isBehind,
        })),
      },
      text: table(
        ['LIST', 'COUNT', 'BLOCKS', 'BYTES', 'ETAG', 'AGE', 'CHANGE', 'TOOK', 'STATE'],
        states.map(({ list, published, isBehind }) => [
          list,
          published?.count ?? '-',
          published?.blocks ?? '-',
          published?.bytes ?? '-',
          published?.etag ?? '-',
          published ? readable(ageSeconds(published.publishedAt, now)) : '-',
          published ? changeText(published) : '-',
          published ? `${published.tookMilliseconds} ms` : '-',
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

/** `+3 -1`; what a first or a very large publication changed is not known. */
function changeText({ added, removed }: Published): string {
  return added === null || removed === null ? 'whole list' : `+${added} -${removed}`;
}

/** In the largest unit that it fills: `3 h`. */
function readable(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}
