import { listsShowing } from '../../public-list/lists.ts';
import { addRetainedDomains } from '../../retained-domain/change.ts';
import { writing } from '../command.ts';
import { parseNames } from '../names.ts';
import { publishedText, publishLists } from '../publish.ts';
import { run } from '../run.ts';
import { counted } from '../text.ts';
import { statusOption } from './status.ts';

export const add = writing(
  'add',
  'Reserve or block names, and publish the lists; a name that is there already stays',
  'retained add riigikogu.ee õ.ee --status reserved',
)
  .argument('<name...>', 'names in their Unicode form, lower case')
  .addOption(statusOption('what the names are').makeOptionMandatory())
  .action((texts, options) =>
    run(options, async (registry) => {
      const { db, origin, isDryRun } = registry;
      const { status } = options;
      const names = parseNames(texts).map((name) => ({ ...name, status }));
      const added = await addRetainedDomains(db, origin, names, isDryRun);
      const published = await publishLists(registry, listsShowing([status]));
      const unchanged = names.length - added;
      return {
        data: { status, added, unchanged, published, changed: added > 0 && !isDryRun },
        text: `${isDryRun ? 'would add' : 'added'} ${counted(added, `${status} name`)}, ${unchanged} there already${publishedText(published)}`,
      };
    }),
  );
