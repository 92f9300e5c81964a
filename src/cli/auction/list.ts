import { Option } from '@commander-js/extra-typings';
import { auctionStatuses } from '../../../drizzle/schema.ts';
import { type Auction, listAuctions } from '../../auction/read.ts';
import { reading } from '../command.ts';
import { everyPage } from '../pages.ts';
import { run } from '../run.ts';
import { table } from '../text.ts';

export const list = reading(
  'list',
  'List the auctions of every status, or of one',
  'auction list --status started',
)
  .addOption(new Option('--status <status>', 'only these').choices(auctionStatuses))
  .action((options) =>
    run(options, async ({ db }) => {
      const status = options.status;
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

/** Without the registration code, which `auction show` alone tells. */
export function auctionData(auction: Auction) {
  return {
    id: auction.uuid,
    domain: auction.name,
    punycode_domain_name: auction.punycode,
    status: auction.status,
    registration_deadline: auction.registrationDeadline,
    platform: auction.platform,
    created_at: auction.createdAt,
    updated_at: auction.updatedAt,
  };
}
