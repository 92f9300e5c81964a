import * as z from 'zod';
import { callsOf } from '../openapi/call.ts';
import { describe, named } from '../openapi/describe.ts';
import { callbackBody } from './callback.ts';

const callsOfService = callsOf({
  name: 'IdentityService',
  tag: 'Identity service',
  refusals: ['throttled', 'address_denied'],
  typical: { unauthorized: { message: 'Signature is invalid' } },
});

describe(callbackBody().shape, {
  identification_request_id: 'The id that the service gave the request.',
  client_id: 'Whose secret signs the call.',
  reference: 'The contact’s code, as it was sent with the request.',
});

export const identityServicePaths = callsOfService({
  'POST /eeid/webhooks/identification_requests': {
    operationId: 'completeIdentification',
    summary: 'Say that a request is completed',
    description:
      'For the identity service, from the addresses that the operator allows. ' +
      '`X-HMAC-Signature` is the HMAC-SHA256 of the body without its white space, in ' +
      'hexadecimal, with the client’s secret. The result is fetched from the service. A call ' +
      'that changes nothing is answered alike: about a request that is not the contact’s ' +
      'newest, or is decided.',
    takes: ['X-HMAC-Signature'],
    body: callbackBody().check(z.meta({ id: 'IdentificationCallback' })),
    success: 'Taken.',
    answer: named('IdentificationTaken', { status: z.literal('success') }),
    refusals: ['invalid', 'unauthorized', 'not_found', 'service_failed'],
  },
});
