import { countDomains } from '../../domain/list.ts';
import { removeDomains } from '../../domain/remove.ts';
import { writing } from '../command.ts';
import { parseAnyNames } from '../names.ts';
import { confirmRemovals, maxRemovalsOption } from '../removals.ts';
import { run } from '../run.ts';
import { counted, did } from '../text.ts';

export const command = writing('domain remove õunaaed.ee')
  .argument('<name...>', 'names in their Unicode form, lower case')
  .addOption(maxRemovalsOption())
  .action((texts, options) =>
    run(options, async (registry) => {
      const { db, origin, isDryRun } = registry;
      const names = parseAnyNames(texts).map(({ name }) => name);
      if (!isDryRun) {
        const removed = await removeDomains(db, origin, names, { isDryRun: true });
        await confirmRemovals({ removed, total: await countDomains(db), one: 'domain' }, options);
      }
      const removed = await removeDomains(db, origin, names, { isDryRun });
      const unchanged = names.length - removed;
      return {
        data: { removed, unchanged, changed: removed > 0 && !isDryRun },
        text: `${did('remove', registry)} ${counted(removed, 'domain')}, ${unchanged} not there`,
      };
    }),
  );
