import * as z from 'zod/mini';
import { orRefusal, RegistryError } from '../../../base/error.ts';
import { onFirstUse } from '../../../base/on-first-use.ts';
import { asciiUpperCase } from '../../../base/text/ascii-case.ts';
import { textField } from '../../../base/text/field.ts';
import type { DomainName } from '../../../name/domain/name.ts';
import type { Recorded } from '../../../name/domain/read.ts';
import { contentOf, type DomainRecord } from '../../../name/domain/record.ts';
import type { WantedDomain } from '../../../name/domain/save.ts';
import { isObject } from '../request/body-shape.ts';
import { parsed } from '../request/input.ts';
import { domainNameRule } from '../request/requested-name.ts';

/** A code in either case. */
const codeRule = (message: string) => z.pipe(textField(message, 100), z.transform(asciiUpperCase));

export const registrarRule = onFirstUse(() => codeRule('is not the code of a registrar'));

const maximumContactsOfRole = 100;

/** What a body says of a domain, beside its name. */
export const domainFields = onFirstUse(() => {
  const contact = codeRule('is not the code of a contact');
  const tooMany = `has more than ${maximumContactsOfRole} contacts`;
  const contacts = z.nullish(
    z
      .array(contact, 'is not a list of the codes of contacts')
      .check(z.maxLength(maximumContactsOfRole, tooMany)),
  );
  return {
    registrar: registrarRule(),
    registrant: contact,
    admin_contacts: contacts,
    tech_contacts: contacts,
  };
});

export const domainObject = onFirstUse(() => z.object(domainFields(), 'is not an object'));

/** The domain of a body, given what it is: it keeps the contacts of a list that is not there. */
export function recordOf(
  name: DomainName,
  given: z.output<ReturnType<typeof domainObject>>,
  present?: Recorded,
): DomainRecord {
  return {
    ...name,
    registrar: given.registrar,
    registrant: given.registrant,
    admin: given.admin_contacts ?? present?.admin ?? [],
    tech: given.tech_contacts ?? present?.tech ?? [],
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

/** What a batch reports of a domain: what it is, or that it is gone. */
export const reportedDomain = onFirstUse(() =>
  z.object({ name: domainNameRule(), ...domainFields() }),
);
export const deletedDomain = onFirstUse(() =>
  z.object({ name: domainNameRule(), deleted: z.literal(true, 'is not true') }),
);

/** For the names of the fields that the elements of a batch have. */
export const elementsOfBatch = onFirstUse(() =>
  z.object({ domains: z.array(z.object({ ...reportedDomain().shape, deleted: z.unknown() })) }),
);

/** What an element of a batch wants of a domain, or its refusal; and its name, if that can be read. */
export function readReported(element: unknown) {
  const { name: text, deleted } = isObject(element) ? element : {};
  const wanted = orRefusal((): WantedDomain => {
    if (!isObject(element)) throw new RegistryError('invalid', 'is not an object');
    if (deleted !== undefined) {
      parsed(deletedDomain(), element);
      return () => undefined;
    }
    const domain = parsed(reportedDomain(), element);
    return (present) => recordOf(domain.name, domain, present);
  });
  const given = typeof text === 'string' ? text : null;
  return { given, name: domainNameRule().safeParse(given).data?.name, wanted };
}
