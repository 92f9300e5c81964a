import { startAuctions } from '../../auction/start.ts';
import { auctionLists } from '../../public-list/lists.ts';
import { writing } from '../command.ts';
import { parseNames } from '../names.ts';
import { publishedText, publishLists } from '../publish.ts';
import { run } from '../run.ts';
import { counted } from '../text.ts';

export const start = writing(
  'start',
  'Put names up for auction, all or none, and publish the list',
  'auction start kohv.ee õun.ee',
)
  .argument('<name...>', 'names in their Unicode form, lower case')
  .option('--platform <text>', 'what the auction centre calls the kind of these auctions')
  .action((texts, options) =>
    run(options, async (registry) => {
      const { db, origin, isDryRun } = registry;
      const names = parseNames(texts);
      const started = await startAuctions(db, origin, names, {
        platform: options.platform,
        isDryRun,
      });
      const published = await publishLists(registry, auctionLists);
      return {
        data: {
          started,
          names: names.map(({ name }) => name),
          platform: options.platform ?? null,
          published,
          changed: started > 0 && !isDryRun,
        },
        text: `${isDryRun ? 'would start' : 'started'} ${counted(started, 'auction')}${publishedText(published)}`,
      };
    }),
  );
