import { registerAuction } from '../../auction/report.ts';
import { writing } from '../command.ts';
import { run } from '../run.ts';
import { auctionData } from './list.ts';

export const register = writing(
  'register',
  'End a paid auction: whoever has its registration code has registered the name',
  'auction register 1b3ee442-e8fe-4922-9492-8fcb9dccc69c --code 0123456789abcdef0123456789abcdef',
)
  .argument('<uuid>', 'the auction')
  .requiredOption('--code <code>', 'the registration code that the buyer has shown')
  .action((uuid, options) =>
    run(options, async ({ db, origin, isDryRun }) => {
      const auction = await registerAuction(db, origin, uuid, options.code, { isDryRun });
      return {
        data: { ...auctionData(auction), changed: !isDryRun },
        text: `${isDryRun ? 'would end' : 'ended'} the auction of ${auction.name} as domain_registered`,
      };
    }),
  );
