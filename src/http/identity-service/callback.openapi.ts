import * as z from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { callsOf, requiredBody } from '../openapi/call.ts';
import { callbackBody } from './callback.ts';

const call = callsOf({
  name: 'IdentityService',
  tag: 'Identity service',
  refusals: ['throttled', 'address_denied'],
});

const body = callbackBody();
const { identification_request_id, client_id, reference } = body.shape;
z.globalRegistry
  .add(identification_request_id, { description: 'The id that the service gave the request.' })
  .add(client_id, { description: 'Whose secret signs the call.' })
  .add(reference, { description: 'The contact’s code, as it was sent with the request.' });

export const identityServicePaths: ZodOpenApiPathsObject = {
  '/eeid/webhooks/identification_requests': {
    post: call({
      operationId: 'completeIdentification',
      summary: 'Say that a request is completed',
      description:
        'For the identity service, from the addresses that the operator allows. `X-HMAC-Signature` is the HMAC-SHA256 of the body without its white space, in hexadecimal, with the client’s secret. The result is fetched from the service. A call that changes nothing is answered alike: about a request that is not the contact’s newest, or is decided.',
      parameters: ['X-HMAC-Signature'],
      body: requiredBody(body.check(z.meta({ id: 'IdentificationCallback' }))),
      success: {
        description: 'Taken.',
        schema: z.object({ status: z.literal('success') }).meta({ id: 'IdentificationTaken' }),
      },
      refusals: ['invalid', 'unauthorized', 'not_found', 'service_failed'],
    }),
  },
};
