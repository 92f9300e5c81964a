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

export const verificationPaths = registrarCalls('Registrar: contacts')({
  'POST /repp/v1/contacts/{code}/verifications': {
    operationId: 'recordVerification',
    summary: 'Record a verification',
    description:
      'Says that a claim about the contact was checked, how and with what result; documents are not kept. It replaces the verification of the same claim before it, and ends when the value changes, whoever changes it.',
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
});
