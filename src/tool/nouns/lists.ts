import type { Env } from '../../base/env.ts';
import { RegistryError } from '../../base/error.ts';
import { currentTime } from '../../base/time/clock.ts';
import { type Gap, readContents } from '../../list/archive/operator/contents.ts';
import { listNames } from '../../list/lists.ts';
import { compareLists } from '../../list/publish/operator/compare.ts';
import { listStatus } from '../../list/publish/operator/status.ts';
import { publish } from '../../list/publish/publish.ts';
import { listsView } from '../../view/lists.ts';
import { noun, readCommand, writeCommand } from '../command.ts';
import { verb } from '../run.ts';
import { csvOption, figures, rowsReport } from '../view.ts';

const publishVerb = verb(
  writeCommand('publish', 'lists publish')
    .description('Publish every list that is behind its source')
    .option('--force', 'build every list from nothing, whatever the records say'),
  async ({ db, env, isDryRun, did }, { force: isForced = false }) => {
    const states = isDryRun ? await listStatus(db, env.LISTS, currentTime()) : [];
    const behind = states.filter(({ isBehind }) => isForced || isBehind).map(({ list }) => list);
    const published = isDryRun
      ? []
      : await publish({ db, kv: env.LISTS, clock: currentTime }, listNames, { isForced });
    const all = [...behind, ...published];
    const text = all.length === 0 ? 'every list is up to date' : `${did('publish')} ${all}`;
    return {
      data: { ...(isDryRun && { behind }), published, changed: published.length > 0 },
      text,
    };
  },
);

const status = verb(
  readCommand('status', 'lists status --json')
    .description('Show the size, ETag and age of each list, and whether it is behind its source')
    .option('--compare', 'build each list from the database, and compare it with KV')
    .addOption(csvOption()),
  async ({ db, env }, options) => {
    const now = currentTime();
    const compared = options.compare && (await compareLists(db, env.LISTS, now));
    const rows = (await listStatus(db, env.LISTS, now)).map(({ list, published, isBehind }) => ({
      ...{ list, behind: isBehind, ...published },
      ...(published && { ageSeconds: secondsBetween(published.publishedAt, now) }),
      ...(compared && { matchesDatabase: compared.get(list) ?? null }),
    }));
    const table = listsView.table + (compared ? ' matches_database' : '');
    return rowsReport({ ...listsView, table }, rows, options);
  },
);

const archive = verb(
  readCommand('archive', 'lists archive')
    .description('Show the days that the archive has of each list, and those that it lacks')
    .addOption(csvOption()),
  async ({ env }, options) => {
    const lists = await readContents(bucketOf(env));
    const lines = lists.flatMap(({ list, gaps }) => gaps.map((gap) => `${list}: ${gapText(gap)}`));
    const rows = lists.map(({ gaps: _, ...row }) => row);
    return { data: { lists }, ...figures(rows, options, ...lines) };
  },
);

export const listsCommand = noun('lists', 'The public lists', [publishVerb, status, archive]);

const secondsBetween = (since: string, now: Date) =>
  Math.max(0, Math.round((now.getTime() - Date.parse(since)) / 1000));

function bucketOf({ ARCHIVE }: Env): R2Bucket {
  if (ARCHIVE) return ARCHIVE;
  throw new RegistryError('not_found', 'wrangler.toml binds no ARCHIVE: no days are kept');
}

function gapText({ first_day: first, last_day: last, reason }: Gap): string {
  const days = first === last ? first : `${first} to ${last}`;
  return `${days} ${reason === 'missing' ? 'missing: how the list stood is no longer known' : 'lost: the bucket has the record, not the content'}`;
}
