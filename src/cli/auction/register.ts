import { registerAuction } from '../../auction/report.ts';
import { writing } from '../command.ts';
import { run } from '../run.ts';
import { did } from '../text.ts';
import { auctionData } from './data.ts';

export const command = writing(
  'auction register 1b3ee442-e8fe-4922-9492-8fcb9dccc69c --code 0123456789abcdef0123456789abcdef',
)
  .argument('<uuid>', 'the auction')
  .requiredOption('--code <code>', 'the registration code that the buyer presented')
  .action((uuid, options) =>
    run(options, async (registry) => {
      const { db, origin, isDryRun } = registry;
      const auction = await registerAuction(db, origin, uuid, options.code, { isDryRun });
      return {
        data: { ...auctionData(auction), changed: !isDryRun },
        text: `${did('end', registry)} the auction of ${auction.name} as domain_registered`,
      };
    }),
  );
