import * as z from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { auctionShape } from '../auction-answer.openapi.ts';
import { requiredBody } from '../openapi/call.ts';
import { startBody } from './auctions.ts';
import { created, gone } from './domain.openapi.ts';
import { internalCall } from './interface.openapi.ts';

const auction = z.object(auctionShape).meta({ id: 'StartedAuction' });
const withDeadline = z
  .object({ ...auctionShape, registration_deadline: z.string().nullable() })
  .meta({ id: 'AuctionWithDeadline' });

const body = startBody();
const { domain, platform } = body.shape.auction.shape;
z.globalRegistry
  .add(domain, { description: 'The name, in Unicode or punycode.' })
  .add(platform, { description: 'The auction centre’s name for the kind of the auction.' });

const path = z.object({ uuid: z.string().meta({ description: 'The auction’s UUID.' }) });

export const internalAuctionPaths: ZodOpenApiPathsObject = {
  '/api/v1/internal/auctions': {
    post: internalCall({
      operationId: 'startAuction',
      summary: 'Put a name up for auction',
      description:
        'Needs `auctions`. Refused while the name is registered, blocked, reserved or disputed, or has an auction that awaits payment or is paid. Send an `Idempotency-Key`, or a late repetition may start a second auction.',
      parameters: ['Idempotency-Key'],
      body: requiredBody(body.check(z.meta({ id: 'AuctionStart' }))),
      success: { description: 'The name’s auction was in progress already.', schema: auction },
      others: created('The auction is in progress.', auction, 'Idempotent-Replayed'),
      refusals: ['missing', 'too_large', 'forbidden', 'conflict'],
    }),
  },
  '/api/v1/internal/auctions/{uuid}': {
    get: internalCall({
      operationId: 'getAuctionWithDeadline',
      summary: 'Read an auction',
      description: 'Needs `auctions`. The registration code is not shown.',
      path,
      success: { description: 'The auction.', schema: withDeadline },
      refusals: ['forbidden', 'not_found'],
    }),
    delete: internalCall({
      operationId: 'cancelAuction',
      summary: 'Cancel an auction in progress',
      description: 'Needs `auctions`.',
      path,
      others: gone('The auction is gone, or has never been there.'),
      refusals: ['forbidden', 'conflict'],
    }),
  },
};
