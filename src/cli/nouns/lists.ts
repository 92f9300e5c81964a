import { rebuildCatalogue } from '../../archive/catalogue.ts';
import { type Gap, readContents } from '../../archive/contents.ts';
import type { Env } from '../../env.ts';
import { RegistryError } from '../../error.ts';
import type { Published } from '../../public-list/format/head.ts';
import { listNames } from '../../public-list/lists.ts';
import { publish } from '../../public-list/publish/publish.ts';
import { listStatus } from '../../public-list/publish/status.ts';
import { currentTime } from '../../time/clock.ts';
import { readLogStatus } from '../../transparency/append.ts';
import { noun, reading, writing } from '../command.ts';
import { counted, table } from '../report/text.ts';
import { verb } from '../run.ts';
import { verifyLists } from './lists-verify.ts';

const publishVerb = verb(
  writing('publish', 'lists publish', 'lists publish --force')
    .description('Publish every list that is behind its source')
    .option('--force', 'build every list from nothing and publish it, whatever the records say'),
  async ({ db, env, isDryRun }, { force: isForced = false }) => {
    if (isDryRun) {
      const states = await listStatus(db, env.LISTS, currentTime());
      const behind = states.filter(({ isBehind }) => isForced || isBehind).map(({ list }) => list);
      return {
        data: { behind, published: [], changed: false },
        text:
          behind.length === 0 ? 'every list is up to date' : `would publish ${behind.join(', ')}`,
      };
    }
    const published = await publish(db, env.LISTS, listNames, currentTime, { isForced });
    return {
      data: { published, changed: published.length > 0 },
      text:
        published.length === 0 ? 'every list was up to date' : `published ${published.join(', ')}`,
    };
  },
);

const status = verb(
  reading('status', 'lists status --json').description(
    'Show the size, ETag and age of each list, and whether it is behind its source',
  ),
  async ({ db, env }) => {
    const now = currentTime();
    const log = env.ARCHIVE && (await readLogStatus(env.ARCHIVE));
    const states = await listStatus(db, env.LISTS, now);
    const lists = states.map(({ list, published, isBehind }) => ({
      list,
      count: published?.count ?? null,
      etag: published?.etag ?? null,
      published_at: published?.publishedAt ?? null,
      age_seconds: published
        ? Math.max(0, Math.round((now.getTime() - Date.parse(published.publishedAt)) / 1000))
        : null,
      blocks: published?.blocks ?? null,
      bytes: published?.bytes ?? null,
      last_change: published ? { added: published.added, removed: published.removed } : null,
      took_ms: published?.tookMilliseconds ?? null,
      behind: isBehind,
    }));
    return {
      data: { lists, log: log ? { leaves: log.size, keys: log.keys } : null },
      text: [
        table(lists, '', {
          LIST: 'list',
          COUNT: 'count',
          BLOCKS: 'blocks',
          BYTES: 'bytes',
          ETAG: 'etag',
          AGE: ({ age_seconds }) => (age_seconds === null ? null : ageText(age_seconds)),
          CHANGE: ({ last_change }) => last_change && namesChanged(last_change),
          TOOK: ({ took_ms }) => (took_ms === null ? null : `${took_ms} ms`),
          STATE: ({ published_at, behind }) =>
            published_at === null ? 'never published' : behind ? 'behind its source' : 'up to date',
        }),
        ...(log
          ? [
              '',
              `the log has ${counted(log.size, 'leaf', 'leaves')}, signed by ${log.keys.join(' and ')}`,
            ]
          : []),
      ].join('\n'),
    };
  },
);

const archive = verb(
  reading('archive', 'lists archive', 'lists archive --json').description(
    'Show the days that the archive has of each list, their size, and the days that it lacks',
  ),
  async ({ env }) => {
    const lists = await readContents(bucketOf(env));
    const shown = table(lists, '', ['list', 'first', 'last', 'days', 'contents', 'bytes']);
    const gaps = lists.flatMap(({ list, gaps }) => gaps.map((gap) => `${list}: ${gapText(gap)}`));
    return { data: { lists }, text: [shown, ...gaps].join('\n') };
  },
);

const reindex = verb(
  writing('reindex', 'lists reindex').description("Rebuild the archive's index from the bucket"),
  async ({ db, env, isDryRun }) => {
    const bucket = bucketOf(env);
    if (isDryRun) return { data: { changed: false }, text: 'would rebuild the index' };
    const days = await rebuildCatalogue(db, bucket);
    return {
      data: { days, changed: true },
      text: `indexed ${counted(days, 'record')} of a list and a day`,
    };
  },
);

export const listsCommand = noun('lists', 'lists status', [
  publishVerb,
  status,
  archive,
  reindex,
  verifyLists,
]).description('The public lists');

/** `+3 -1`; the numbers of a first or a very large publication are not known. */
function namesChanged({ added, removed }: Pick<Published, 'added' | 'removed'>): string {
  return added === null || removed === null ? 'whole list' : `+${added} -${removed}`;
}

/** Says an age in the largest unit of which it has one: `3 h`. */
function ageText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

function bucketOf({ ARCHIVE }: Env): R2Bucket {
  if (ARCHIVE) return ARCHIVE;
  throw new RegistryError('not_found', 'wrangler.toml binds no ARCHIVE: no days are kept');
}

function gapText({ from, until, reason }: Gap): string {
  const days = from === until ? from : `${from} to ${until}`;
  return `${days} ${reason === 'missing' ? 'missing: how the list stood is no longer known' : 'lost: the bucket has the record, not the content'}`;
}
