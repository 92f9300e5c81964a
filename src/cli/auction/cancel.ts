import { cancelAuction } from '../../auction/cancel.ts';
import { auctionLists } from '../../public-list/lists.ts';
import { writing } from '../command.ts';
import { run } from '../run.ts';
import { auctionData } from './data.ts';

export const command = writing('auction cancel kohv.ee --reason "put up by mistake"')
  .argument('<auction>', 'its UUID or its name')
  .requiredOption('--reason <text>', 'why; the history keeps it')
  .action((text, options) =>
    run(options, async ({ db, origin, isDryRun }) => {
      const { reason } = options;
      const auction = await cancelAuction(db, origin, { auction: text, reason }, { isDryRun });
      return {
        data: { ...auctionData(auction), reason, changed: !isDryRun },
        text: `${isDryRun ? 'would cancel' : 'cancelled'} the auction of ${auction.name}`,
        publish: auctionLists,
      };
    }),
  );
