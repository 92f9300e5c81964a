import * as z from 'zod';
import { json } from '../openapi/call.ts';
import { describe, named } from '../openapi/describe.ts';
import { internalCalls } from './interface.openapi.ts';
import { reservationBody } from './retained-domains.ts';

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

export const internalRetainedPaths = internalCalls('retained')({
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
});
