import * as z from 'zod';
import { domainFields } from './domain-body.ts';

const { registrar, registrant, admin_contacts } = domainFields();
z.globalRegistry
  .add(registrar, { description: 'The code of the registrar, in either case.' })
  .add(registrant, { description: 'The code of a contact, in either case.' })
  .add(admin_contacts, {
    description:
      'The codes of contacts. Left out: the domain keeps what it has, and a new one has none.',
  });

export const domain = z
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
