import { getAuctionOf } from '../../auction/read.ts';
import { reading } from '../command.ts';
import { run } from '../run.ts';
import { fieldLines } from '../text.ts';
import { auctionData } from './data.ts';

export const command = reading(
  'auction show kohv.ee',
  'auction show 1b3ee442-e8fe-4922-9492-8fcb9dccc69c',
)
  .argument('<auction>', 'its UUID, or its name for the newest auction of the name')
  .action((text, options) =>
    run(options, async ({ db }) => {
      const auction = await getAuctionOf(db, text);
      const data = { ...auctionData(auction), registration_code: auction.registrationCode };
      return { data, text: fieldLines(data) };
    }),
  );
