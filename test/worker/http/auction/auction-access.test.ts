import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { auctions } from '../../../../drizzle/schema.ts';
import { auctionClient } from '../../../support/client.ts';
import { addAuction } from '../../../support/fixtures.ts';
import { shareWorker } from '../../../support/worker.ts';

const worker = shareWorker({
  AUCTION_API_ALLOWED_IPS: '192.0.2.7, 198.51.100.0/24, 2001:db8::/32',
});

const centre = auctionClient(worker);

function read(uuid: string, address: string) {
  return centre.read(uuid, { 'CF-Connecting-IP': address });
}

it.each(['192.0.2.7', '198.51.100.255', '2001:db8::1', '2001:DB8:0:0::1', '::ffff:192.0.2.7'])(
  'lets %s in',
  async (address) => {
    const { uuid } = await addAuction(worker.env);
    expect((await read(uuid, address)).status).toBe(200);
  },
);

it.each(['192.0.2.8', '198.51.101.0', '127.0.0.1', '2001:db9::1', '::1', '::ffff:192.0.2.8'])(
  'refuses %s',
  async (address) => {
    const { uuid } = await addAuction(worker.env);
    const response = await read(uuid, address);
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({
      errors: { base: [`Access denied from IP ${address}`] },
    });
  },
);

it.each(['7cb4bb7b-8c5e-4d2c-9a3a-2f3f0f7a5d11', 'no-uuid'])(
  'refuses before it tells that %s is unknown',
  async (uuid) => {
    expect((await read(uuid, '203.0.113.1')).status).toBe(401);
  },
);

it.each(['{', '{"status":"sold"}', '{"status":"no_bids"}'])(
  'refuses before it looks at the body %s',
  async (body) => {
    const auction = await addAuction(worker.env);
    const response = await centre.report(auction.uuid, body, {
      'CF-Connecting-IP': '203.0.113.1',
    });
    expect(response.status).toBe(401);
    const [stored] = await worker.db.select().from(auctions).where(eq(auctions.uuid, auction.uuid));
    expect(stored).toEqual(auction);
  },
);
