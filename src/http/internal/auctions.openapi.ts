import * as z from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { auctionShape } from '../auction-answer.openapi.ts';
import { requiredBody } from '../openapi/call.ts';
import { startBody } from './auctions.ts';
import { internalCalls } from './interface.openapi.ts';

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

const call = internalCalls('auctions');

export const internalAuctionPaths: ZodOpenApiPathsObject = {
  '/api/v1/internal/auctions': {
    post: call({
      operationId: 'startAuction',
      summary: 'Put a name up for auction',
      description:
        'Refused while the name is registered, blocked, reserved or disputed, or has an auction that awaits payment or is paid. Send an `Idempotency-Key`, or a late repetition may start a second auction.',
      parameters: ['Idempotency-Key'],
      body: requiredBody(body.check(z.meta({ id: 'AuctionStart' }))),
      success: { description: 'The name’s auction was in progress already.', schema: auction },
      created: 'The auction is in progress.',
      refusals: ['conflict'],
    }),
  },
  '/api/v1/internal/auctions/{uuid}': {
    get: call({
      operationId: 'getAuctionWithDeadline',
      summary: 'Read an auction',
      description: 'The registration code is not shown.',
      path,
      success: { description: 'The auction.', schema: withDeadline },
      refusals: ['not_found'],
    }),
    delete: call({
      operationId: 'cancelAuction',
      summary: 'Cancel an auction in progress',
      path,
      gone: 'The auction is gone, or has never been there.',
      refusals: ['conflict'],
    }),
  },
};
