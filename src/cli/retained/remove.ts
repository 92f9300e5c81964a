import { listsShowing } from '../../public-list/lists.ts';
import { countRetainedDomains, removeRetainedDomains } from '../../retained-domain/change.ts';
import { writing } from '../command.ts';
import { parseAnyNames } from '../names.ts';
import { confirmRemovals, maxRemovalsOption } from '../removals.ts';
import { run } from '../run.ts';
import { counted, did } from '../text.ts';
import { statusOption } from './status.ts';

export const command = writing('retained remove riigikogu.ee --status reserved')
  .argument('<name...>', 'names in their Unicode form, lower case')
  .addOption(statusOption('the status to take from them').makeOptionMandatory())
  .addOption(maxRemovalsOption())
  .action((texts, options) =>
    run(options, async (registry) => {
      const { db, origin, isDryRun } = registry;
      const { status } = options;
      const one = `${status} name`;
      const names = parseAnyNames(texts).map((name) => ({ ...name, status }));
      if (!isDryRun) {
        const total = await countRetainedDomains(db, [status]);
        const removed = await removeRetainedDomains(db, origin, names, { isDryRun: true });
        await confirmRemovals({ removed, total, one }, options);
      }
      const removed = await removeRetainedDomains(db, origin, names, { isDryRun });
      const unchanged = names.length - removed;
      return {
        data: { status, removed, unchanged, changed: removed > 0 && !isDryRun },
        text: `${did('remove', registry)} ${counted(removed, one)}, ${unchanged} not there`,
        publish: listsShowing([status]),
      };
    }),
  );
