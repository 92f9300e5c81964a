import * as z from 'zod';
import { auctionStatuses } from '../../../../drizzle/schema.ts';
import { auctionShape, wrongName } from '../openapi/answer.openapi.ts';
import { json } from '../openapi/call.ts';
import { describe, named } from '../openapi/describe.ts';
import { domainAnswer } from './domains.openapi.ts';
import { internalCalls, reasonType } from './interface.openapi.ts';
import { nameCheckBody, registrationBody, reservationBody, startBody } from './names.ts';

const auction = z.object({
  id: z.guid(),
  status: z.enum(auctionStatuses),
  registration_deadline: z.string().nullable(),
});

const stateFields = {
  name: z.string(),
  punycode_name: z.string(),
  blocked: z.boolean(),
  disputed: z.boolean(),
  reserved: z.boolean(),
  auction: auction
    .nullable()
    .describe('The newest auction that is in progress, awaits payment or is paid.'),
  registered: z.boolean().describe('Whether this service has the domain.'),
};

const { names } = nameCheckBody().shape;

const checked = named('CheckedName', {
  ...stateFields,
  available: z.boolean().describe('Whether nothing prevents a registration without a secret.'),
  reason: reasonType.optional(),
});

const refusedName = wrongName.extend({ reason: reasonType }).meta({ id: 'RefusedName' });

describe(registrationBody().shape, {
  registration_code: 'The code of the winner of the name’s auction, or its password.',
  password: 'The password of the reserved or disputed name, or its code.',
});

describe(reservationBody().shape, {
  password: 'With which the name may be registered. Left out: a new reservation gets one.',
  last_day: 'The last day of the reservation, in UTC. Null or the empty string clears it.',
});

const text = z.string();
const retained = { name: text, punycode_name: text, last_day: text.nullable() };
const reserved = named('ReservedName', {
  ...retained,
  status: z.literal('reserved'),
  password: z.string().optional().meta({
    description: 'Only in the answer to a new reservation that was given none.',
  }),
});
const blocked = named('BlockedName', { ...retained, status: z.literal('blocked') });

export const internalNamePaths = {
  ...internalCalls()({
    'GET /api/v1/internal/names/{name}': {
      operationId: 'getNameState',
      summary: 'Ask what stands between a name and its registration',
      description: 'From the database, never cached.',
      success: 'The state of the name.',
      answer: named('NameState', stateFields),
    },
    'POST /api/v1/internal/names/check': {
      operationId: 'checkNames',
      summary: 'Ask about many names whether they can be registered',
      description:
        'From the database, never cached. Counts as one request and one more for each ten names.',
      body: named('NameCheck', {
        names: names.check(
          z.meta({ description: 'Names in Unicode or punycode, in either case.' }),
        ),
      }),
      success: 'The results in the order given; a refused name is answered in its place.',
      answer: named('NameCheckAnswer', { results: z.array(z.union([checked, refusedName])) }),
    },
  }),
  ...internalCalls('domains')({
    'POST /api/v1/internal/names/{name}/registration': {
      operationId: 'registerName',
      summary: 'Register a name, if nothing stands in the way',
      description:
        'Either secret is judged as whatever the name needs. The code of a paid auction ends ' +
        'the auction, and suffices for a name that is reserved too; the password of a dispute ' +
        'closes the dispute, and suffices for a reserved name too; a reserved name stays ' +
        'reserved under a new password. Refused for the first obstacle: registered, blocked, ' +
        'disputed, in auction or not paid (`name`); the code missing, wrong or late ' +
        '(`registration_code`); the password missing or wrong (`password`).',
      body: registrationBody().check(z.meta({ id: 'Registration' })),
      success: 'The domain was there, exactly so.',
      answer: domainAnswer,
      created: 'The domain is registered.',
      refusals: ['conflict'],
    },
    'DELETE /api/v1/internal/names/{name}/registration': {
      operationId: 'takeBackRegistration',
      summary: 'Take a registration back',
      description:
        'Within 24 hours, for the system that registered the name, if nothing about it has ' +
        'changed since, be it the domain, an auction, the reservation or a dispute: the domain ' +
        'goes, and the auction, its code, the password and the dispute are as before.',
      gone: 'The domain is not there, or not any more.',
      refusals: ['conflict'],
    },
  }),
  ...internalCalls('retained')({
    'PUT /api/v1/internal/retained_domains/{name}/reserved': {
      operationId: 'reserveName',
      summary: 'Reserve a name, or change its reservation',
      description: 'What is left out stays as it is.',
      body: json(reservationBody().check(z.meta({ id: 'Reservation' }))),
      success: 'The reservation as it is now.',
      answer: reserved,
      created: 'The name is reserved.',
    },
    'DELETE /api/v1/internal/retained_domains/{name}/reserved': {
      operationId: 'endReservation',
      summary: 'End the reservation of a name',
      gone: 'The name is not reserved, or not any more.',
    },
    'PUT /api/v1/internal/retained_domains/{name}/blocked': {
      operationId: 'blockName',
      summary: 'Block a name',
      body: json(z.object({})),
      success: 'The name was blocked already.',
      answer: blocked,
      created: 'The name is blocked.',
    },
    'DELETE /api/v1/internal/retained_domains/{name}/blocked': {
      operationId: 'unblockName',
      summary: 'Unblock a name',
      gone: 'The name is not blocked, or not any more.',
    },
  }),
};

describe(startBody().shape.auction.shape, {
  domain: 'The name, in Unicode or punycode.',
  platform: 'The auction centre’s name for the kind of the auction.',
});

export const internalAuctionPaths = internalCalls('auctions')({
  'POST /api/v1/internal/auctions': {
    operationId: 'startAuction',
    summary: 'Put a name up for auction',
    description:
      'Refused while the name is registered, blocked, reserved or disputed, or has an auction ' +
      'that awaits payment or is paid. Send an `Idempotency-Key`, or a late repetition may ' +
      'start a second auction.',
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
