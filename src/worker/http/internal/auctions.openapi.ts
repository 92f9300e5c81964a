import * as z from 'zod';
import { auctionShape } from '../openapi/auction-answer.openapi.ts';
import { describe, named } from '../openapi/describe.ts';
import { startBody } from './auctions.ts';
import { internalCalls } from './interface.openapi.ts';

describe(startBody().shape.auction.shape, {
  domain: 'The name, in Unicode or punycode.',
  platform: 'The auction centre’s name for the kind of the auction.',
});

export const internalAuctionPaths = internalCalls('auctions')({
  'POST /api/v1/internal/auctions': {
    operationId: 'startAuction',
    summary: 'Put a name up for auction',
    description:
      'Refused while the name is registered, blocked, reserved or disputed, or has an auction that awaits payment or is paid. Send an `Idempotency-Key`, or a late repetition may start a second auction.',
    takes: ['Idempotency-Key'],
    body: startBody().check(z.meta({ id: 'AuctionStart' })),
    success: 'The name’s auction was in progress already.',
    answer: named('StartedAuction', auctionShape),
    created: 'The auction is in progress.',
    refusals: ['conflict'],
  },
  'GET /api/v1/internal/auctions/{uuid}': {
    operationId: 'getAuctionWithDeadline',
    summary: 'Read an auction',
    description: 'The registration code is not shown.',
    success: 'The auction.',
    answer: named('AuctionWithDeadline', {
      ...auctionShape,
      registration_deadline: z.string().nullable(),
    }),
    refusals: ['not_found'],
  },
  'DELETE /api/v1/internal/auctions/{uuid}': {
    operationId: 'cancelAuction',
    summary: 'Cancel an auction in progress',
    gone: 'The auction is gone, or has never been there.',
    refusals: ['conflict'],
  },
});
