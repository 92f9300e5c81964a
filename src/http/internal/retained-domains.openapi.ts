import * as z from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { created, gone } from './domain.openapi.ts';
import { internalCall, nameInPath } from './interface.openapi.ts';
import { reservationBody } from './retained-domains.ts';

const body = reservationBody();
z.globalRegistry
  .add(body.shape.password, {
    description: 'With which the name may be registered. Left out: a new reservation gets one.',
  })
  .add(body.shape.last_day, {
    description: 'The last day of the reservation, in UTC. Null or the empty string clears it.',
  });

const retained = {
  name: z.string(),
  punycode_name: z.string(),
  last_day: z.string().nullable(),
};
const reserved = z
  .object({
    ...retained,
    status: z.literal('reserved'),
    password: z.string().optional().meta({
      description: 'Only in the answer to a new reservation that was given none.',
    }),
  })
  .meta({ id: 'ReservedName' });
const blocked = z.object({ ...retained, status: z.literal('blocked') }).meta({ id: 'BlockedName' });

const description = 'Needs `retained`.';

export const internalRetainedPaths: ZodOpenApiPathsObject = {
  '/api/v1/internal/retained_domains/{name}/reserved': {
    put: internalCall({
      operationId: 'reserveName',
      summary: 'Reserve a name, or change its reservation',
      description: `${description} What is left out stays as it is.`,
      path: nameInPath,
      body: {
        content: { 'application/json': { schema: body.check(z.meta({ id: 'Reservation' })) } },
      },
      success: { description: 'The reservation as it is now.', schema: reserved },
      others: created('The name is reserved.', reserved),
      refusals: ['too_large', 'forbidden'],
    }),
    delete: internalCall({
      operationId: 'endReservation',
      summary: 'End the reservation of a name',
      description,
      path: nameInPath,
      others: gone('The name is not reserved, or not any more.'),
      refusals: ['forbidden'],
    }),
  },
  '/api/v1/internal/retained_domains/{name}/blocked': {
    put: internalCall({
      operationId: 'blockName',
      summary: 'Block a name',
      description,
      path: nameInPath,
      body: { content: { 'application/json': { schema: z.object({}) } } },
      success: { description: 'The name was blocked already.', schema: blocked },
      others: created('The name is blocked.', blocked),
      refusals: ['too_large', 'forbidden'],
    }),
    delete: internalCall({
      operationId: 'unblockName',
      summary: 'Unblock a name',
      description,
      path: nameInPath,
      others: gone('The name is not blocked, or not any more.'),
      refusals: ['forbidden'],
    }),
  },
};
