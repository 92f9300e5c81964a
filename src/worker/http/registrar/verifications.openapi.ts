import * as z from 'zod';
import { claimType } from '../openapi/contact-answer.openapi.ts';
import { describe } from '../openapi/describe.ts';
import { emptyAnswer, writeHeaders } from './contacts.openapi.ts';
import { envelope, registrarCalls } from './interface.openapi.ts';
import { verificationBody } from './verifications.ts';

describe(verificationBody().shape.verification.shape, {
  claim: claimType.description,
  method: 'How it was checked, for example `eid` or `email`.',
  framework: 'The framework of the method, for example `eidas`.',
  reference: 'What the check is known by, for example its number.',
  result: '`success` unless given.',
  verified_at: {
    description: 'When it was checked (ISO 8601), not in the future; now unless given.',
    override: { anyOf: undefined, type: ['string', 'null'], format: 'date-time' },
  },
});

const recorded = z.object({ verification: z.object({ id: z.string() }) });

const contact = z.object({ id: z.string(), code: z.string() });
const linked = contact.extend({
  link: z.string().nullable().meta({
    description: 'Where the person is to be identified; null if the open request had a result.',
  }),
});

const decision = {
  takes: writeHeaders,
  success: 'The contact’s code, and its new version in `ETag`.',
  answer: envelope('DecidedVerificationAnswer', z.object({ contact })),
  refusals: ['not_found', 'update_prohibited'],
} as const;

const nothingWaits = 'nothing waits for a decision';

export const verificationPaths = registrarCalls('Registrar: contacts')({
  'POST /repp/v1/contacts/{code}/verifications': {
    operationId: 'recordVerification',
    summary: 'Record a verification',
    description:
      'Says that a claim about the contact was checked, how and with what result; documents are ' +
      'not kept. It replaces the verification of the same claim before it, and ends when the ' +
      'value changes, whoever changes it.',
    takes: writeHeaders,
    body: verificationBody().check(z.meta({ id: 'VerificationBody' })),
    success: 'The verification’s id, and the contact’s new version in `ETag`.',
    answer: envelope('VerificationAnswer', recorded),
    refusals: ['not_found'],
  },
  'DELETE /repp/v1/contacts/{code}/verifications/{id}': {
    operationId: 'withdrawVerification',
    summary: 'Withdraw a verification',
    description: 'Said again for one that was withdrawn, it is not found.',
    takes: writeHeaders,
    path: { id: z.string().describe('The verification’s id.') },
    success: 'The contact’s new version in `ETag`.',
    answer: emptyAnswer,
    refusals: ['not_found'],
  },
  'POST /repp/v1/contacts/verify/{code}': {
    operationId: 'requestIdentification',
    summary: 'Have the person identified',
    description:
      'Asks the registry’s identity service about a contact of the type `priv` or `birthday`; ' +
      'send the link to the person. If the service finds the contact’s identity, the contact is ' +
      'verified; otherwise `verification_pending_at` is set, and the registrar approves or ' +
      'rejects. A notification says which. While a request is open, its result is taken if ' +
      'there is one, and its link given again if there is none. Otherwise, as after a decision ' +
      'or while one is pending, a new request takes its place, and the identity is not verified ' +
      'until its result comes.',
    takes: writeHeaders,
    success: 'The link, and the contact’s new version in `ETag`.',
    answer: envelope('IdentificationAnswer', z.object({ contact: linked })),
    refusals: ['not_found', 'not_offered', 'service_failed'],
  },
  'POST /repp/v1/contacts/approve_verification/{code}': {
    operationId: 'approveVerification',
    summary: 'Approve whom the service has identified',
    description:
      'Gives the contact the code and the country that the service has established, and if it ' +
      'is known by a birthday the name; its identity is verified. A status that prohibits ' +
      'updates prohibits this.',
    ...decision,
    causes: {
      update_prohibited: `${nothingWaits}, a status of the contact prohibits the update, or the contact cannot have the identity`,
    },
  },
  'POST /repp/v1/contacts/reject_verification/{code}': {
    operationId: 'rejectVerification',
    summary: 'Reject whom the service has identified',
    description: 'The contact stays as it is, not verified; the request is forgotten.',
    ...decision,
    causes: { update_prohibited: nothingWaits },
  },
  'GET /repp/v1/contacts/download_poi/{code}': {
    operationId: 'downloadProofOfIdentity',
    summary: 'Read the service’s proof of identity',
    description: 'A PDF about the newest request, which the registry does not keep.',
    success: 'The PDF.',
    headers: ['Content-Disposition'],
    type: 'application/pdf',
    answer: z.string(),
    refusals: ['not_found', 'not_offered', 'service_failed'],
  },
});
