import * as z from 'zod/mini';
import type { DomainName } from '../../domain/name.ts';
import { contentOf, type DomainRecord, type ImportedDomain } from '../../domain/record.ts';
import { onFirstUse } from '../../on-first-use.ts';
import { asciiUpperCase } from '../../text/ascii-case.ts';
import { textField } from '../../text/field.ts';

/** A code in either case. */
const codeRule = (message: string) => z.pipe(textField(message, 100), z.transform(asciiUpperCase));

export const registrarRule = onFirstUse(() => codeRule('is not the code of a registrar'));

/** What a body says of a domain, beside its name. */
export const domainFields = onFirstUse(() => {
  const contact = codeRule('is not the code of a contact');
  const contacts = z.nullish(z.array(contact, 'is not a list of the codes of contacts'));
  return {
    registrar: registrarRule(),
    registrant: contact,
    admin_contacts: contacts,
    tech_contacts: contacts,
  };
});

export const domainObject = onFirstUse(() => z.object(domainFields(), 'is not an object'));

/** The domain of a body. A list that is not there is left out. */
export function recordOf(
  name: DomainName,
  {
    registrar,
    registrant,
    admin_contacts,
    tech_contacts,
  }: z.output<ReturnType<typeof domainObject>>,
): ImportedDomain {
  return {
    ...name,
    registrar,
    registrant,
    ...(admin_contacts && { admin: admin_contacts }),
    ...(tech_contacts && { tech: tech_contacts }),
  };
}

export function shownDomain(record: DomainRecord) {
  const { registrar, registrant, admin, tech } = contentOf(record);
  return {
    name: record.name,
    punycode_name: record.punycode,
    registrar,
    registrant,
    admin_contacts: admin,
    tech_contacts: tech,
  };
}
