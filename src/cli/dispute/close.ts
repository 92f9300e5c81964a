import { dayOf } from '../../day.ts';
import { parseDomainName } from '../../domain/name.ts';
import { listsShowing } from '../../public-list/lists.ts';
import { closeDispute } from '../../retained-domain/dispute.ts';
import { writing } from '../command.ts';
import { publishedText, publishLists } from '../publish.ts';
import { run } from '../run.ts';

export const close = writing(
  'close',
  'Close the dispute of a name, which is disputed no more from today on, and publish the lists',
  'dispute close piip.ee',
)
  .argument('<name>', 'the name in its Unicode form, lower case')
  .action((text, options) =>
    run(options, async (registry) => {
      const { db, origin, isDryRun } = registry;
      const { name } = parseDomainName(text);
      const today = dayOf(origin.at);
      const outcome = await closeDispute(db, origin, { name }, today, isDryRun);
      const published = await publishLists(registry, listsShowing(['disputed']));
      const done =
        outcome === 'ended' ? 'its last day is yesterday' : 'it had not begun before today';
      return {
        data: { name, outcome, published, changed: !isDryRun },
        text: `${isDryRun ? 'would close' : 'closed'} the dispute of ${name}: ${done}${publishedText(published)}`,
      };
    }),
  );
