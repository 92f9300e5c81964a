import { startAuctions } from '../../auction/start.ts';
import { auctionLists } from '../../public-list/lists.ts';
import { writing } from '../command.ts';
import { parseNames } from '../names.ts';
import { run } from '../run.ts';
import { counted, did } from '../text.ts';

export const command = writing('auction start kohv.ee õun.ee')
  .argument('<name...>', 'names in their Unicode form, lower case')
  .option('--platform <text>', 'what the auction centre calls the kind of these auctions')
  .option('--even-if-retained', 'start auctions of reserved and disputed names as well')
  .action((texts, options) =>
    run(options, async (registry) => {
      const { db, env, origin, isDryRun } = registry;
      const names = parseNames(texts, env);
      const { platform, evenIfRetained: isEvenIfRetained = false } = options;
      const started = await startAuctions(db, origin, names, {
        platform,
        isEvenIfRetained,
        isDryRun,
      });
      return {
        data: {
          started,
          names: names.map(({ name }) => name),
          platform: platform ?? null,
          changed: started > 0 && !isDryRun,
        },
        text: `${did('start', registry)} ${counted(started, 'auction')}`,
        publish: auctionLists,
      };
    }),
  );
