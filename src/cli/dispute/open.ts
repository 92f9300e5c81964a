import { parseDomainName } from '../../domain/name.ts';
import { listsShowing } from '../../public-list/lists.ts';
import { openDispute } from '../../retained-domain/dispute.ts';
import { writing } from '../command.ts';
import { publishedText, publishLists } from '../publish.ts';
import { run } from '../run.ts';

export const open = writing(
  'open',
  'Open a dispute of a name, and publish the lists',
  'dispute open piip.ee --from 2026-12-01 --until 2027-02-28',
)
  .argument('<name>', 'the name in its Unicode form, lower case')
  .requiredOption('--from <day>', 'its first day, YYYY-MM-DD, in UTC')
  .requiredOption('--until <day>', 'its last day')
  .action((text, options) =>
    run(options, async (registry) => {
      const { db, origin, isDryRun } = registry;
      const { from, until } = options;
      const name = parseDomainName(text);
      await openDispute(db, origin, name, from, until, isDryRun);
      const published = await publishLists(registry, listsShowing(['disputed']));
      return {
        data: { name: name.name, from, until, published, changed: !isDryRun },
        text: `${isDryRun ? 'would open' : 'opened'} a dispute of ${name.name} from ${from} until ${until}${publishedText(published)}`,
      };
    }),
  );
