import * as z from 'zod';
import { callsOf } from '../openapi/call.ts';
import { instantType, named } from '../openapi/describe.ts';
import { registrants } from './interface.openapi.ts';
import { eidBody } from './token.ts';

const { ident, first_name, last_name, country_code } = eidBody().shape;
const body = named('TokenRequest', {
  ident: ident.check(z.meta({ description: 'The national identity code.' })),
  first_name: first_name.check(z.meta({ description: 'The person’s first name.' })),
  last_name: last_name.check(z.meta({ description: 'The person’s last name.' })),
  country_code: country_code.check(
    z.meta({
      description: `The country of the code (ISO 3166-1 alpha-2), in either case; \`${country_code.def.defaultValue}\` if it is left out.`,
      pattern: '^[A-Za-z]{2}$',
      // Client generators take a field with a default for one that is always present.
      override: { default: undefined },
    }),
  ),
});

const portal = callsOf({
  ...registrants,
  name: 'Token',
  security: [],
  refusals: ['invalid', 'address_denied', 'too_large', 'throttled'],
  headers: ['X-Client-Transaction-Id', 'RPP-Cltrid'],
});

export const tokenPaths = portal({
  'POST /api/v1/registrant/auth/eid': {
    operationId: 'createToken',
    summary: 'Get a token for a person',
    description:
      'For the portal that has authenticated the person: only the addresses that the operator allows may call it, and no browser for a page of another site.',
    body,
    success: 'The token (a JWT), valid for two hours.',
    answer: named('Token', {
      access_token: z.string(),
      expires_at: instantType(),
      type: z.literal('Bearer'),
    }),
  },
});
