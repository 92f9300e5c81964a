import * as z from 'zod';
import { describe, named } from '../openapi/describe.ts';
import {
  deletedDomain,
  domainBody,
  domainFields,
  removalQuery,
  reportedDomain,
  transferBody,
} from './domains.ts';
import { internalCalls, reasonType } from './interface.openapi.ts';

describe(domainFields(), {
  registrar: 'The code of the registrar, in either case.',
  registrant: 'The code of a contact of any registrar, in either case.',
  admin_contacts:
    'The codes of contacts. Left out: the domain keeps what it has, and a new one has none.',
});
describe(domainBody().shape, {
  password: 'The password of the dispute, if the domain gets another person’s contact.',
});
describe(removalQuery().shape, {
  release: 'Whether to start the auction of the name in the same write.',
});

const domain = named('InternalDomain', {
  name: z.string(),
  punycode_name: z.string(),
  registrar: z.string(),
  registrant: z.string().nullable(),
  admin_contacts: z.array(z.string()),
  tech_contacts: z.array(z.string()),
});

export const domainAnswer = named('InternalDomainAnswer', { domain });

const batch = named('DomainBatch', {
  domains: z
    .array(z.union([reportedDomain(), deletedDomain()]))
    .min(1)
    .max(500),
});

const result = z.object({
  name: z.string().nullable().describe('As it was given; null if it is not a text.'),
  ok: z.boolean(),
  errors: z
    .record(z.string(), z.array(z.string()))
    .describe('The messages by field; empty for a domain that was saved or deleted.'),
  reason: reasonType.optional().describe('Only if the row is refused.'),
});

export const internalDomainPaths = internalCalls('domains')({
  'GET /api/v1/internal/domains/{name}': {
    operationId: 'getDomain',
    summary: 'Read a domain',
    success: 'The domain, as this service has it.',
    answer: domainAnswer,
    refusals: ['not_found'],
  },
  'PUT /api/v1/internal/domains/{name}': {
    operationId: 'saveDomain',
    summary: 'Report a domain and its contacts',
    description:
      'The domain is there, so no rule about names applies but one: while a dispute is in force, ' +
      'the domain stays with its person. A contact of another person as registrant is refused ' +
      'with 409, unless the dispute’s `password` is sent: the domain is changed, and the dispute ' +
      'closed. A domain that was removed is compared with its last record. With `If-Match: *`, the call only updates: 412 if the domain is not there, or for ' +
      'any other value.',
    takes: ['If-Match'],
    headers: [],
    refusals: ['conflict'],
    body: domainBody().check(z.meta({ id: 'InternalDomainBody' })),
    success: 'The domain as it is now.',
    answer: domainAnswer,
    created: 'The domain was not known yet.',
  },
  'DELETE /api/v1/internal/domains/{name}': {
    operationId: 'deleteDomain',
    summary: 'Report that a domain has ended, and put its name up for auction',
    description:
      'A release is refused, and the domain stays, if the name is in no zone of the registry, ' +
      'is blocked, disputed or reserved, or has an auction that is in progress, awaits payment ' +
      'or is paid. Repeated for a domain that is gone, it starts no auction.',
    query: removalQuery(),
    gone: 'The domain is not there, or not any more.',
    refusals: ['conflict'],
  },
  'POST /api/v1/internal/domains/batch': {
    operationId: 'saveDomains',
    summary: 'Report many domains at once',
    description:
      'The refusal of one does not stop the others; of a name that is there twice, the later counts. A disputed domain stays with its person. A batch counts as one request for each ten domains.',
    body: batch,
    success: 'A result for each, in the order given.',
    answer: named('DomainBatchResults', { results: z.array(result) }),
  },
  'POST /api/v1/internal/domains/{name}/transfer': {
    operationId: 'transferDomain',
    summary: 'Give a domain to another registrar',
    description:
      'Each contact of any other registrar is replaced by one copy, as it is stored, with a new ' +
      'code and `auth_info`; its owner and the new registrar are notified. If that registrar ' +
      'has the contact of which this one is a copy, or another copy of it, and all its values are equal, ' +
      'it is used again. ' +
      'The call counts as one request and a tenth of the replaced contacts, at most 1,000.',
    body: transferBody().check(z.meta({ id: 'DomainTransfer' })),
    success: 'The domain as it is now, also if it was that registrar’s already.',
    answer: domainAnswer,
    refusals: ['not_found', 'conflict'],
  },
});
