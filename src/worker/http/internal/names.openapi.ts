import * as z from 'zod';
import { auctionStatuses } from '../../../../drizzle/schema.ts';
import { describe, named } from '../openapi/describe.ts';
import { domainAnswer } from './domains.openapi.ts';
import { internalCalls } from './interface.openapi.ts';
import { registrationBody } from './names.ts';

const auction = z.object({
  id: z.guid(),
  status: z.enum(auctionStatuses),
  registration_deadline: z.string().nullable(),
});

const state = named('NameState', {
  name: z.string(),
  punycode_name: z.string(),
  blocked: z.boolean(),
  disputed: z.boolean(),
  reserved: z.boolean(),
  auction: auction
    .nullable()
    .describe('The newest auction that is in progress, awaits payment or is paid.'),
  registered: z.boolean().describe('Whether this service has the domain.'),
});

describe(registrationBody().shape, {
  registration_code: 'The code of the winner of the name’s auction, or its password.',
  password: 'The password of the reserved or disputed name, or its code.',
});

export const internalNamePaths = {
  ...internalCalls()({
    'GET /api/v1/internal/names/{name}': {
      operationId: 'getNameState',
      summary: 'Ask what stands between a name and its registration',
      description: 'From the database, never cached.',
      success: 'The state of the name.',
      answer: state,
    },
  }),
  ...internalCalls('domains')({
    'POST /api/v1/internal/names/{name}/registration': {
      operationId: 'registerName',
      summary: 'Register a name, if nothing stands in the way',
      description:
        'Either secret is judged as whatever the name needs. The code of a paid auction ends the auction, and suffices for a name that is reserved too; the password of a dispute closes the dispute, and suffices for a reserved name too; a reserved name stays reserved under a new password. Refused for the first obstacle: registered, blocked, disputed, in auction or not paid (`name`); the code missing, wrong or late (`registration_code`); the password missing or wrong (`password`).',
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
        'Within 24 hours, for the system that registered the name, if nothing about it has changed since, be it the domain, an auction, the reservation or a dispute: the domain goes, and the auction, its code, the password and the dispute are as before.',
      gone: 'The domain is not there, or not any more.',
      refusals: ['conflict'],
    },
  }),
};
