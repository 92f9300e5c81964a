import { parseDomainName } from '../../domain/name.ts';
import { listsShowing } from '../../public-list/lists.ts';
import { closeDispute } from '../../retained-domain/dispute.ts';
import { writing } from '../command.ts';
import { run } from '../run.ts';
import { did } from '../text.ts';

export const command = writing('dispute close piip.ee')
  .argument('<name>', 'the name in its Unicode form, lower case')
  .action((text, options) =>
    run(options, async (registry) => {
      const { db, origin, isDryRun } = registry;
      const { name } = parseDomainName(text);
      const outcome = await closeDispute(db, origin, { name }, { isDryRun });
      const effect =
        outcome === 'ended'
          ? 'its last day is yesterday'
          : 'deleted, as it had not begun before today';
      return {
        data: { name, outcome, changed: !isDryRun },
        text: `${did('close', registry)} the dispute of ${name}: ${effect}`,
        publish: listsShowing(['disputed']),
      };
    }),
  );
