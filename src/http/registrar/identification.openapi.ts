import * as z from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { codeInPath, writeParameters } from './contacts.openapi.ts';
import { envelope, registrarCalls } from './interface.openapi.ts';

const call = registrarCalls('Registrar: contacts');
const path = z.object({ code: codeInPath });
const contact = z.object({ id: z.string(), code: z.string() });

const link = z.string().nullable().meta({
  description: 'Where the person is to be identified; null if the open request had a result.',
});

const decided = envelope('DecidedVerificationAnswer', z.object({ contact }));

const decision = (operationId: string, summary: string, description: string) =>
  call({
    operationId,
    summary,
    description: `${description} Refused with \`2304\` if nothing waits for a decision.`,
    parameters: writeParameters,
    path,
    success: {
      description: 'The contact’s code, and its new version in `ETag`.',
      headers: ['ETag'],
      schema: decided,
    },
    refusals: ['not_found', 'update_prohibited'],
  });

export const identificationPaths: ZodOpenApiPathsObject = {
  '/repp/v1/contacts/verify/{code}': {
    post: call({
      operationId: 'requestIdentification',
      summary: 'Have the person identified',
      description:
        'Asks the registry’s identity service about a contact of the type `priv` or `birthday`; send the link to the person. If the service finds the contact’s identity, the contact is verified; otherwise `verification_pending_at` is set, and the registrar approves or rejects. A notification says which. While a request is open, its result is taken if there is one, and its link given again if there is none. Otherwise, as after a decision or while one is pending, a new request takes its place, and the identity is not verified until its result comes.',
      parameters: writeParameters,
      path,
      success: {
        description: 'The link, and the contact’s new version in `ETag`.',
        headers: ['ETag'],
        schema: envelope('IdentificationAnswer', z.object({ contact: contact.extend({ link }) })),
      },
      refusals: ['not_found', 'not_offered', 'service_failed'],
    }),
  },
  '/repp/v1/contacts/approve_verification/{code}': {
    post: decision(
      'approveVerification',
      'Approve whom the service has identified',
      'Gives the contact the code and the country that the service has established, and if it is known by a birthday the name; its identity is verified. A status that prohibits updates prohibits this.',
    ),
  },
  '/repp/v1/contacts/reject_verification/{code}': {
    post: decision(
      'rejectVerification',
      'Reject whom the service has identified',
      'The contact stays as it is, not verified; the request is forgotten.',
    ),
  },
  '/repp/v1/contacts/download_poi/{code}': {
    get: call({
      operationId: 'downloadProofOfIdentity',
      summary: 'Read the service’s proof of identity',
      description: 'A PDF about the newest request, which the registry does not keep.',
      path,
      success: {
        description: 'The PDF.',
        headers: ['Content-Disposition'],
        type: 'application/pdf',
        schema: z.string(),
      },
      refusals: ['not_found', 'not_offered', 'service_failed'],
    }),
  },
};
