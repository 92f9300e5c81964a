import { Option } from '@commander-js/extra-typings';
import { auctionStatuses } from '../../../drizzle/schema.ts';
import { type Auction, listAuctions } from '../../auction/read.ts';
import { reading } from '../command.ts';
import { everyPage } from '../pages.ts';
import { run } from '../run.ts';
import { table } from '../text.ts';
import { auctionData } from './data.ts';

export const command = reading('auction list --status started')
  .addOption(
    new Option('--status <status>', 'only auctions with this status').choices(auctionStatuses),
  )
  .action((options) =>
    run(options, async ({ db }) => {
      const { status } = options;
      const auctions = await Array.fromAsync(
        everyPage<Auction, number>(
          (page) => listAuctions(db, { page, ...(status && { status }) }),
          ({ id }) => id,
        ),
      );
      return {
        data: { auctions: auctions.map(auctionData) },
        text: table(
          ['UUID', 'NAME', 'STATUS', 'SINCE'],
          auctions.map(({ uuid, name, status, updatedAt }) => [uuid, name, status, updatedAt]),
          'there are no such auctions',
        ),
      };
    }),
  );
