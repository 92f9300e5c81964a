import { type Contact, statusesOf } from './contact.ts';
import { contactColumns, contactFields, type RegistrarColumn } from './fields.ts';
import { isVerified, openDemand, verificationsOf } from './verifications.ts';

/** The documented order for registrars. A missing field does not compile. */
const registrarOrder = Object.keys({
  id: true,
  code: true,
  phone: true,
  email: true,
  fax: true,
  createdAt: true,
  updatedAt: true,
  ident: true,
  identType: true,
  authInfo: true,
  name: true,
  orgName: true,
  registrarId: true,
  creator: true,
  updater: true,
  identCountryCode: true,
  city: true,
  street: true,
  zip: true,
  countryCode: true,
  state: true,
  legacyId: true,
  statuses: true,
  statusNotes: true,
} satisfies Record<RegistrarColumn, true>) as RegistrarColumn[];

export const registrarColumns = [...registrarOrder, 'domainCount'] as const;

const registrarNames = registrarOrder.map(
  (column) => [column, contactFields[column].registrar] as const,
);

/** Filling in a copy takes half as long as adding each field. */
const blankRepresentation: Record<string, unknown> = Object.fromEntries(
  registrarNames.map(([column, name]) => [name, contactFields[column].blank]),
);

export function registrarRepresentation(
  contact: Pick<Contact, (typeof registrarColumns)[number]>,
): Record<string, unknown> {
  const representation = { ...blankRepresentation };
  for (const [column, name] of registrarNames) {
    const value = displayValue(contact, column);
    if (value !== null) representation[name] = value;
  }
  return representation;
}

export function detailedRepresentation(contact: Contact): Record<string, unknown> {
  return {
    ...registrarRepresentation(contact),
    ...verificationRepresentation(contact),
    verification_pending: pendingIdentity(contact),
  };
}

/** The service's result that waits for the registrar's approval. A birthday replaces the code. */
function pendingIdentity({ identityRequest, identType }: Contact) {
  const { pending } = identityRequest ?? {};
  if (!pending) return null;
  const { country_code, ident, name } = pending;
  const textOrNull = (text: string | null) => text || null;
  return {
    country_code: textOrNull(country_code),
    ident: identType === 'birthday' ? null : textOrNull(ident),
    name: textOrNull(name),
    birthdate: identType === 'birthday' ? textOrNull(ident) : null,
  };
}

/** Includes the times that the live registry shows. */
export function verificationRepresentation(contact: Contact) {
  const { identityVerification, identityRequest } = contact;
  return {
    verifications: verificationsOf(contact),
    verification_demand: openDemand(contact),
    ident_request_sent_at: identityRequest?.sent_at ?? null,
    verified_at: isVerified(contact, 'identity') ? identityVerification!.verified_at : null,
    verification_id: identityRequest?.id ?? null,
    verification_pending_at: identityRequest?.pending?.since ?? null,
  };
}

/** Returns a former registry's id as a number if it is one. */
function displayValue(
  contact: Partial<Contact> & Pick<Contact, 'statuses' | 'domainCount'>,
  column: keyof Contact,
) {
  const value = contact[column];
  if (column === 'statuses') return statusesOf(contact);
  const isNumber = column === 'legacyId' && /^(0|[1-9]\d{0,14})$/.test(String(value));
  return isNumber ? Number(value) : value;
}

/** Has only strings and lists, empty for unknown values. */
export function registrantRepresentation(contact: Contact): Record<string, unknown> {
  const representation: Record<string, unknown> = {};
  for (const [column, { registrant: path }] of contactColumns) {
    if (path === null) continue;
    const value = column === 'statuses' ? statusesOf(contact) : (contact[column] ?? '');
    const [name, inner] = path.split('.') as [string, string?];
    if (inner === undefined) representation[name] = value;
    else representation[name] = { ...(representation[name] as object), [inner]: value };
  }
  return representation;
}

/** These ids say nothing about the person. */
const recordIds: (keyof Contact)[] = ['id', 'registrarId'];

export function personalRepresentation(contact: Contact): Record<string, unknown> {
  const representation = registrantRepresentation(contact);
  for (const [column, { registrant, registrar }] of contactColumns) {
    if (registrant === null && registrar !== null && !recordIds.includes(column)) {
      representation[registrar] = displayValue(contact, column);
    }
  }
  return representation;
}
