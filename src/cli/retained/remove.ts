import { listsShowing } from '../../public-list/lists.ts';
import { removeRetainedDomains } from '../../retained-domain/change.ts';
import { writing } from '../command.ts';
import { parseNames } from '../names.ts';
import { publishedText, publishLists } from '../publish.ts';
import { run } from '../run.ts';
import { counted } from '../text.ts';
import { statusOption } from './status.ts';

export const remove = writing(
  'remove',
  'Reserve or block names no more, and publish the lists',
  'retained remove riigikogu.ee --status reserved',
)
  .argument('<name...>', 'names in their Unicode form, lower case')
  .addOption(statusOption('what the names are no more').makeOptionMandatory())
  .action((texts, options) =>
    run(options, async (registry) => {
      const { db, origin, isDryRun } = registry;
      const { status } = options;
      const names = parseNames(texts).map((name) => ({ ...name, status }));
      const removed = await removeRetainedDomains(db, origin, names, isDryRun);
      const published = await publishLists(registry, listsShowing([status]));
      const unchanged = names.length - removed;
      return {
        data: { status, removed, unchanged, published, changed: removed > 0 && !isDryRun },
        text: `${isDryRun ? 'would remove' : 'removed'} ${counted(removed, `${status} name`)}, ${unchanged} not there${publishedText(published)}`,
      };
    }),
  );
