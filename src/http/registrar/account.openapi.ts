import * as z from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { secretBody } from './account.ts';
import { envelope, registrarCalls } from './interface.openapi.ts';

const call = registrarCalls('Registrar: account');

const instant = z.iso.datetime({ precision: 3 });
const validUntil = instant.nullable().meta({
  description:
    'Until when the secret that was replaced works: 24 hours after the first use of the new one. Null before that use, and if there is no such secret any more.',
});

const account = z
  .object({
    code: z
      .string()
      .meta({ description: 'The registrar’s code, with which those of its contacts begin.' }),
    name: z.string(),
    allowed_ips: z.array(z.string()).meta({
      description: 'The addresses and CIDR ranges that may call; empty if any may.',
    }),
    webhook_url: z.url().nullable().meta({
      description: 'Where notifications are pushed to; null if they are not.',
    }),
    api_user: z
      .object({
        username: z.string(),
        secret_changed_at: instant.meta({ description: 'Since when the user has had its secret.' }),
        previous_secret_valid_until: validUntil,
      })
      .nullable()
      .meta({ description: 'Null for a system that acts for the registrar.' }),
  })
  .meta({ id: 'RegistrarAccount' });

const newSecret = z.object({
  username: z.string(),
  secret: z.string().meta({
    description: 'The new secret. Only its digest is kept, so it is shown in no other answer.',
    pattern: '^[0-9a-f]{64}$',
  }),
  previous_secret_valid_until: z.null().meta({
    description: 'Nobody has used the new secret yet, so the old one works on.',
  }),
});

export const accountPaths: ZodOpenApiPathsObject = {
  '/repp/v1/registrar': {
    get: call({
      operationId: 'getAccount',
      summary: 'Who am I',
      description: 'The API user that calls, and its registrar.',
      success: {
        description: 'The registrar as the registry’s operator has set it up.',
        schema: envelope('AccountAnswer', z.object({ registrar: account })),
      },
    }),
  },
  '/repp/v1/registrar/api_user/secret': {
    post: call({
      operationId: 'replaceSecret',
      summary: 'Get a new secret',
      description:
        'Replaces the secret of the API user that calls. The old one works until 24 hours after the new one was first used. If the answer was lost, call again with the old secret: another new one takes the place of the first. Once the new one has been used, the old one gets no other; while the old one works, the new one gets none either. An `Idempotency-Key` has no effect, because the answer is not kept. Fields of a body are ignored.',
      body: { required: false, content: { 'application/json': { schema: secretBody } } },
      success: {
        description: 'The new secret.',
        schema: envelope('NewSecretAnswer', z.object({ api_user: newSecret })),
      },
      refusals: ['update_prohibited'],
    }),
  },
};
