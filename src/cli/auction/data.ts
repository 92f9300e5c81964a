import type { Auction } from '../../auction/read.ts';

/** An auction as commands answer it with --json; only `auction show` adds the registration code. */
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
