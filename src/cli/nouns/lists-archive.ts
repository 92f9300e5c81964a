import { rebuildCatalogue } from '../../archive/catalogue.ts';
import { type Gap, readContents } from '../../archive/contents.ts';
import type { Env } from '../../env.ts';
import { RegistryError } from '../../error.ts';
import { reading, writing } from '../command.ts';
import { counted, table } from '../report/text.ts';
import { verb } from '../run.ts';

export const archive = verb(
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

export const reindex = verb(
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

function bucketOf({ ARCHIVE }: Env): R2Bucket {
  if (ARCHIVE) return ARCHIVE;
  throw new RegistryError('not_found', 'wrangler.toml binds no ARCHIVE: no days are kept');
}

function gapText({ from, until, reason }: Gap): string {
  const days = from === until ? from : `${from} to ${until}`;
  return `${days} ${reason === 'missing' ? 'missing: how the list stood is no longer known' : 'lost: the bucket has the record, not the content'}`;
}
