import * as z from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { claimType } from '../contact-answer.openapi.ts';
import { requiredBody } from '../openapi/call.ts';
import { codeInPath, emptyAnswer, writeParameters } from './contacts.openapi.ts';
import { envelope, registrarCalls } from './interface.openapi.ts';
import { verificationBody } from './verifications.ts';

const call = registrarCalls('Registrar: contacts');

const { claim, method, framework, reference, result, verified_at } =
  verificationBody().shape.verification.shape;

z.globalRegistry
  .add(claim, { description: claimType.meta()!.description! })
  .add(method, { description: 'How it was checked, for example `eid` or `email`.' })
  .add(framework, { description: 'The framework of the method, for example `eidas`.' })
  .add(reference, { description: 'What the check is known by, for example its number.' })
  .add(result, { description: '`success` unless given.' })
  .add(verified_at, {
    description: 'When it was checked (ISO 8601), not in the future; now unless given.',
    override: { anyOf: undefined, type: ['string', 'null'], format: 'date-time' },
  });

export const verificationPaths: ZodOpenApiPathsObject = {
  '/repp/v1/contacts/{code}/verifications': {
    post: call({
      operationId: 'recordVerification',
      summary: 'Record a verification',
      description:
        'Says that a claim about the contact was checked, how and with what result; documents are not kept. It replaces the verification of the same claim before it, and ends when the value changes, whoever changes it.',
      parameters: writeParameters,
      path: z.object({ code: codeInPath }),
      body: requiredBody(verificationBody().check(z.meta({ id: 'VerificationBody' }))),
      success: {
        description: 'The verification’s id, and the contact’s new version in `ETag`.',
        headers: ['ETag'],
        schema: envelope(
          'VerificationAnswer',
          z.object({ verification: z.object({ id: z.string() }) }),
        ),
      },
      refusals: ['not_found'],
    }),
  },
  '/repp/v1/contacts/{code}/verifications/{id}': {
    delete: call({
      operationId: 'withdrawVerification',
      summary: 'Withdraw a verification',
      description: 'Said again for one that was withdrawn, it is not found.',
      parameters: writeParameters,
      path: z.object({
        code: codeInPath,
        id: z.string().meta({ description: 'The verification’s id.' }),
      }),
      success: {
        description: 'The contact’s new version in `ETag`.',
        headers: ['ETag'],
        schema: emptyAnswer,
      },
      refusals: ['not_found'],
    }),
  },
};
