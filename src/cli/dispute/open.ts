import type { DomainName } from '../../domain/name.ts';
import { listsShowing } from '../../public-list/lists.ts';
import { openDispute } from '../../retained-domain/dispute.ts';
import { writing } from '../command.ts';
import { parseNames } from '../names.ts';
import { run } from '../run.ts';
import { did } from '../text.ts';

export const command = writing('dispute open piip.ee --from 2026-12-01 --until 2027-02-28')
  .argument('<name>', 'the name in its Unicode form, lower case')
  .requiredOption('--from <day>', 'its first day, YYYY-MM-DD, in UTC')
  .requiredOption('--until <day>', 'its last day')
  .action((text, options) =>
    run(options, async (registry) => {
      const { db, env, origin, isDryRun } = registry;
      const { from, until } = options;
      const [name] = parseNames([text], env) as [DomainName];
      const dispute = { ...name, firstDay: from, lastDay: until };
      await openDispute(db, origin, dispute, { isDryRun });
      return {
        data: { name: name.name, from, until, changed: !isDryRun },
        text: `${did('open', registry)} a dispute of ${name.name} from ${from} until ${until}`,
        publish: listsShowing(['disputed']),
      };
    }),
  );
