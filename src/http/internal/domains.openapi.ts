import * as z from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { requiredBody } from '../openapi/call.ts';
import { deletedDomain, domainFields, reportedDomain } from './domain-body.ts';
import { domainBody, removalQuery, transferBody } from './domains.ts';
import { internalCalls, nameInPath } from './interface.openapi.ts';

const { registrar, registrant, admin_contacts } = domainFields();
z.globalRegistry
  .add(registrar, { description: 'The code of the registrar, in either case.' })
  .add(registrant, { description: 'The code of a contact, in either case.' })
  .add(admin_contacts, {
    description:
      'The codes of contacts. Left out: the domain keeps what it has, and a new one has none.',
  });

const domain = z
  .object({
    name: z.string(),
    punycode_name: z.string(),
    registrar: z.string(),
    registrant: z.string().nullable(),
    admin_contacts: z.array(z.string()),
    tech_contacts: z.array(z.string()),
  })
  .meta({ id: 'InternalDomain' });

export const domainAnswer = z.object({ domain }).meta({ id: 'InternalDomainAnswer' });

z.globalRegistry.add(removalQuery().shape.release, {
  description: 'Whether to start the auction of the name in the same write.',
});

const batch = z
  .object({
    domains: z
      .array(z.union([reportedDomain(), deletedDomain()]))
      .min(1)
      .max(500),
  })
  .meta({ id: 'DomainBatch' });

const batchAnswer = z
  .object({
    results: z.array(
      z.object({
        name: z
          .string()
          .nullable()
          .meta({ description: 'As it was given; null if it is not a text.' }),
        ok: z.boolean(),
        errors: z.record(z.string(), z.array(z.string())).meta({
          description: 'The messages by field; empty for a domain that was saved or deleted.',
        }),
      }),
    ),
  })
  .meta({ id: 'DomainBatchResults' });

const call = internalCalls('domains');

export const internalDomainPaths: ZodOpenApiPathsObject = {
  '/api/v1/internal/domains/{name}': {
    get: call({
      operationId: 'getDomain',
      summary: 'Read a domain',
      path: nameInPath,
      success: { description: 'The domain, as this service has it.', schema: domainAnswer },
      refusals: ['not_found'],
    }),
    put: call({
      operationId: 'saveDomain',
      summary: 'Report a domain and its contacts',
      description: 'The domain is there, so no rule about names applies.',
      path: nameInPath,
      body: requiredBody(domainBody().check(z.meta({ id: 'InternalDomainBody' }))),
      success: { description: 'The domain as it is now.', schema: domainAnswer },
      created: 'The domain was not known yet.',
    }),
    delete: call({
      operationId: 'deleteDomain',
      summary: 'Report that a domain has ended, and put its name up for auction',
      description:
        'A release is refused, and the domain stays, if the name is in no zone of the registry, is blocked, disputed or reserved, or has an auction that is in progress, awaits payment or is paid. Repeated for a domain that is gone, it starts no auction.',
      path: nameInPath,
      query: removalQuery(),
      gone: 'The domain is not there, or not any more.',
      refusals: ['conflict'],
    }),
  },
  '/api/v1/internal/domains/batch': {
    post: call({
      operationId: 'saveDomains',
      summary: 'Report many domains at once',
      description:
        'The refusal of one does not stop the others; of a name that is there twice, the later counts. A batch counts as one request for each ten domains.',
      body: requiredBody(batch),
      success: { description: 'A result for each, in the order given.', schema: batchAnswer },
    }),
  },
  '/api/v1/internal/domains/{name}/transfer': {
    post: call({
      operationId: 'transferDomain',
      summary: 'Give a domain to another registrar',
      description:
        'Each contact of any other registrar is replaced by one copy, as it is stored, with a new code and `auth_info`; its owner and the new registrar are notified.',
      path: nameInPath,
      body: requiredBody(transferBody().check(z.meta({ id: 'DomainTransfer' }))),
      success: {
        description: 'The domain as it is now, also if it was that registrar’s already.',
        schema: domainAnswer,
      },
      refusals: ['not_found'],
    }),
  },
};
