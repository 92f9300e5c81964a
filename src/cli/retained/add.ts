import { listsShowing } from '../../public-list/lists.ts';
import { addRetainedDomains } from '../../retained-domain/change.ts';
import { writing } from '../command.ts';
import { parseNames } from '../names.ts';
import { run } from '../run.ts';
import { counted, did } from '../text.ts';
import { statusOption } from './status.ts';

export const command = writing('retained add riigikogu.ee õ.ee --status reserved')
  .argument('<name...>', 'names in their Unicode form, lower case')
  .addOption(statusOption('the status to give them').makeOptionMandatory())
  .action((texts, options) =>
    run(options, async (registry) => {
      const { db, env, origin, isDryRun } = registry;
      const { status } = options;
      const names = parseNames(texts, env).map((name) => ({ ...name, status }));
      const added = await addRetainedDomains(db, origin, names, { isDryRun });
      const unchanged = names.length - added;
      return {
        data: { status, added, unchanged, changed: added > 0 && !isDryRun },
        text: `${did('add', registry)} ${counted(added, `${status} name`)}, ${unchanged} already there`,
        publish: listsShowing([status]),
      };
    }),
  );
