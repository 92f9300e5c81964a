import * as z from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { internalCalls, nameInPath } from './interface.openapi.ts';
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

const call = internalCalls('retained');

export const internalRetainedPaths: ZodOpenApiPathsObject = {
  '/api/v1/internal/retained_domains/{name}/reserved': {
    put: call({
      operationId: 'reserveName',
      summary: 'Reserve a name, or change its reservation',
      description: 'What is left out stays as it is.',
      path: nameInPath,
      body: {
        content: { 'application/json': { schema: body.check(z.meta({ id: 'Reservation' })) } },
      },
      success: { description: 'The reservation as it is now.', schema: reserved },
      created: 'The name is reserved.',
    }),
    delete: call({
      operationId: 'endReservation',
      summary: 'End the reservation of a name',
      path: nameInPath,
      gone: 'The name is not reserved, or not any more.',
    }),
  },
  '/api/v1/internal/retained_domains/{name}/blocked': {
    put: call({
      operationId: 'blockName',
      summary: 'Block a name',
      path: nameInPath,
      body: { content: { 'application/json': { schema: z.object({}) } } },
      success: { description: 'The name was blocked already.', schema: blocked },
      created: 'The name is blocked.',
    }),
    delete: call({
      operationId: 'unblockName',
      summary: 'Unblock a name',
      path: nameInPath,
      gone: 'The name is not blocked, or not any more.',
    }),
  },
};
