import * as z from 'zod';
import { auctionShape, fieldErrorsType } from '../openapi/answer.openapi.ts';
import { callsOf, json } from '../openapi/call.ts';
import { describe, named, parameter } from '../openapi/describe.ts';
import type { Interface } from '../openapi/refusal.ts';
import { reportBody } from './auctions.ts';

const notFound = named('AuctionNotFound', {
  error: z.literal('Not Found'),
  uuid: z.string().optional(),
  message: z.string(),
});

const everybody: Interface = {
  name: 'Auction',
  tag: 'Auctions',
  refusals: ['invalid', 'throttled'],
  errorOf: (status) => (status === 404 ? notFound : fieldErrorsType),
};

const centre: Interface = {
  ...everybody,
  name: 'AuctionCentre',
  preface: 'For the auction centre: only the addresses that the operator allows may call it.',
  headers: ['X-D1-Bookmark'],
  typical: {
    invalid: { message: 'Bookmark is invalid', field: 'X-D1-Bookmark' },
    address_denied: { message: 'Access denied from IP 192.0.2.1' },
  },
  refusals: [...everybody.refusals, 'address_denied', 'not_found'],
  path: {
    uuid: parameter('AuctionUuid', 'The auction’s UUID.', 'a0000000-0000-4000-8000-000000000001'),
  },
};

const auction = named('Auction', auctionShape);
const reported = named('ReportedAuction', {
  ...auctionShape,
  registration_code: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .nullable()
    .describe('Null unless the status is `payment_received`.'),
});

describe(reportBody().shape, {
  status: 'Left out or null: the status stays as it is.',
  registration_deadline:
    'A date or an instant (ISO 8601, UTC where it has no offset). Null or the empty string clears it.',
  platform: 'What the auction centre calls the kind of the auction. Null clears it.',
});

export const auctionPaths = {
  ...callsOf(everybody)({
    'GET /api/v1/auctions': {
      operationId: 'listAuctions',
      summary: 'List the auctions in progress',
      description:
        'In the order in which they started. Open to anybody, and up to five seconds old.',
      success: 'The auctions.',
      answer: z.array(auction).meta({ id: 'AuctionList' }),
    },
  }),
  ...callsOf(centre)({
    'GET /api/v1/auctions/{uuid}': {
      operationId: 'getAuction',
      summary: 'Read an auction',
      success: 'The auction.',
      answer: auction,
    },
    'PATCH /api/v1/auctions/{uuid}': {
      operationId: 'reportAuction',
      summary: 'Report what became of an auction',
      description:
        'What a report does not mention stays as it is; repeating one has no further effect. An auction that ended as domain_registered stays as it is.',
      body: json(reportBody().check(z.meta({ id: 'AuctionReport' }))),
      success: 'The auction as it is now.',
      answer: reported,
    },
  }),
};
