import * as z from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { fieldErrorsType } from '../answer.openapi.ts';
import { auctionShape } from '../auction-answer.openapi.ts';
import { callsOf } from '../openapi/call.ts';
import type { Interface } from '../openapi/refusal.ts';
import { reportBody } from './auctions.ts';

const notFound = z
  .object({
    error: z.literal('Not Found'),
    uuid: z.string().optional(),
    message: z.string(),
  })
  .meta({ id: 'AuctionNotFound' });

const everybody: Interface = {
  name: 'Auction',
  tag: 'Auctions',
  refusals: ['invalid', 'throttled'],
  errorOf: (status) => (status === 404 ? notFound : fieldErrorsType),
};

const publicCall = callsOf(everybody);
const call = callsOf({
  ...everybody,
  name: 'AuctionCentre',
  headers: ['X-D1-Bookmark'],
  refusals: [...everybody.refusals, 'address_denied', 'not_found'],
});

const auction = z.object(auctionShape).meta({ id: 'Auction' });
const reported = z
  .object({
    ...auctionShape,
    registration_code: z
      .string()
      .regex(/^[0-9a-f]{32}$/)
      .nullable()
      .meta({ description: 'Null unless the status is `payment_received`.' }),
  })
  .meta({ id: 'ReportedAuction' });

const report = reportBody();
const { status, registration_deadline: deadline, platform } = report.shape;
z.globalRegistry
  .add(status, { description: 'Left out or null: the status stays as it is.' })
  .add(deadline, {
    description:
      'A date or an instant (ISO 8601, UTC where it has no offset). Null or the empty string clears it.',
  })
  .add(platform, {
    description: 'What the auction centre calls the kind of the auction. Null clears it.',
  });

const uuid = z.string().meta({
  description: 'The auction’s UUID.',
  param: { id: 'AuctionUuid', example: 'a0000000-0000-4000-8000-000000000001' },
});

const addresses =
  'For the auction centre: only the addresses that the operator allows may call it.';

export const auctionPaths: ZodOpenApiPathsObject = {
  '/api/v1/auctions': {
    get: publicCall({
      operationId: 'listAuctions',
      summary: 'List the auctions in progress',
      description:
        'In the order in which they started. Open to anybody, and up to five seconds old.',
      success: {
        description: 'The auctions.',
        schema: z.array(auction).meta({ id: 'AuctionList' }),
      },
    }),
  },
  '/api/v1/auctions/{uuid}': {
    get: call({
      operationId: 'getAuction',
      summary: 'Read an auction',
      description: addresses,
      path: z.object({ uuid }),
      success: { description: 'The auction.', schema: auction },
    }),
    patch: call({
      operationId: 'reportAuction',
      summary: 'Report what became of an auction',
      description: `${addresses} What a report does not mention stays as it is; repeating one has no further effect. An auction that ended as domain_registered stays as it is.`,
      path: z.object({ uuid }),
      body: {
        content: { 'application/json': { schema: report.check(z.meta({ id: 'AuctionReport' })) } },
      },
      success: {
        description: 'The auction as it is now.',
        schema: reported,
      },
    }),
  },
};
