import { getAuction } from '../../auction/read.ts';
import { reading } from '../command.ts';
import { run } from '../run.ts';
import { auctionData } from './list.ts';

export const show = reading(
  'show',
  'Show an auction, with its registration code while it is paid',
  'auction show 1b3ee442-e8fe-4922-9492-8fcb9dccc69c',
)
  .argument('<uuid>', 'the auction')
  .action((uuid, options) =>
    run(options, async ({ db }) => {
      const auction = await getAuction(db, uuid);
      const data = { ...auctionData(auction), registration_code: auction.registrationCode };
      const lines = Object.entries(data).map(
        ([field, value]) => `${`${field}:`.padEnd(23)}${value ?? '-'}`,
      );
      return { data, text: lines.join('\n') };
    }),
  );
