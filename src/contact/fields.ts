import type * as z from 'zod/mini';
import type { Claim } from '../../drizzle/schema.ts';
import type { Contact } from './contact.ts';
import { contactRules } from './rules.ts';

/** A party that may send a field: a registrar for its own contacts, a registrant for theirs. */
export type Sender = 'registrar' | 'registrant';

/** The properties of a contact's field. */
export interface ContactField {
  /** Its name in answers to registrars, in answers to registrants (a path) and in files; null where it is left out. */
  registrar: string | null;
  registrant: string | null;
  file: string | null;
  /** The rule for what clients send; null if they never send it. */
  rule: (() => z.ZodMiniType) | null;
  sentBy: readonly Sender[];
  /** The object that surrounds it in a body. */
  group: 'address' | 'identity' | null;
  /** Required fields are never empty; others may be cleared. */
  isRequired: boolean;
  /** A list is cleared by an empty list, text by null or the empty string. */
  isList: boolean;
  /** It describes the contact and is lost with it, so the history of the deletion records it. */
  isContent: boolean;
  isPersonal: boolean;
  /** The claim that is about it: a change of the value ends its verification. */
  claim: Claim | null;
  /** The value that registrars see if it is unknown; registrants see an empty string. */
  blank: '' | null;
}

/** Set only by the registry. */
const bookkeeping = {
  registrar: null,
  registrant: null,
  file: null,
  rule: null,
  sentBy: [],
  group: null,
  isRequired: false,
  isList: false,
  isContent: false,
  isPersonal: false,
  claim: null,
  blank: null,
} as const;

/** Text about the person or organisation. */
const text = {
  sentBy: ['registrar', 'registrant'],
  group: null,
  isRequired: false,
  isList: false,
  isContent: true,
  isPersonal: true,
  claim: null,
  blank: null,
} as const;
const requiredText = { ...text, isRequired: true } as const;
const addressText = { ...text, group: 'address', claim: 'address', blank: '' } as const;

/** An update by a client can only repeat it; the operator may correct it. */
const identity = {
  ...requiredText,
  sentBy: ['registrar'],
  group: 'identity',
  claim: 'identity',
} as const;

/** About the contact as an object of the registry; set by an import or by the operator. */
const administrative = { ...bookkeeping, isContent: true } as const;

/** It ends with the value that was verified, and may say with what document. */
const verification = <const Name extends string>(file: Name) =>
  ({ ...administrative, file, isPersonal: true }) as const;

/** One name in answers to registrars and in files, and the same or another in answers to registrants. */
function named<const Name extends string>(registrar: Name, registrant: string | null = registrar) {
  return { registrar, registrant, file: registrar };
}

/**
 * Every field of a contact, in the order in which registrants see them. If a column is missing here, the list does not
 * compile. Everything that handles fields one by one is derived from it: answers, bodies, files, history.
 */
export const contactFields = {
  id: { ...bookkeeping, registrar: 'id' },
  uuid: { ...bookkeeping, registrant: 'id', file: 'uuid' },
  name: { ...requiredText, ...named('name'), rule: contactRules.name, claim: 'name' },
  code: { ...bookkeeping, ...named('code') },
  ident: { ...identity, ...named('ident', 'ident.code'), rule: contactRules.ident },
  identType: {
    ...identity,
    ...named('ident_type', 'ident.type'),
    rule: contactRules.identType,
    isPersonal: false,
  },
  identCountryCode: {
    ...identity,
    ...named('ident_country_code', 'ident.country_code'),
    rule: contactRules.identCountryCode,
    isPersonal: false,
  },
  email: { ...requiredText, ...named('email'), rule: contactRules.email, claim: 'email' },
  phone: { ...requiredText, ...named('phone'), rule: contactRules.phone, claim: 'phone' },
  fax: { ...text, ...named('fax'), rule: contactRules.fax },
  street: { ...addressText, ...named('street', 'address.street'), rule: contactRules.street },
  zip: { ...addressText, ...named('zip', 'address.zip'), rule: contactRules.zip },
  city: { ...addressText, ...named('city', 'address.city'), rule: contactRules.city },
  state: {
    ...addressText,
    ...named('state', 'address.state'),
    rule: contactRules.state,
    blank: null,
  },
  countryCode: {
    ...addressText,
    ...named('country_code', 'address.country_code'),
    rule: contactRules.countryCode,
  },
  orgName: {
    ...text,
    ...named('org_name', null),
    rule: contactRules.orgName,
    sentBy: ['registrar'],
  },
  authInfo: {
    ...text,
    ...named('auth_info'),
    rule: contactRules.authInfo,
    sentBy: ['registrar'],
    isPersonal: false,
  },
  statuses: { ...administrative, ...named('statuses') },
  statusNotes: { ...administrative, ...named('status_notes', null), isPersonal: true },
  disclosedAttributes: {
    ...administrative,
    registrant: 'disclosed_attributes',
    file: 'disclosed_attributes',
    rule: contactRules.disclosedAttributes,
    isList: true,
    sentBy: ['registrant'],
  },
  legacyId: { ...administrative, ...named('legacy_id', null), isPersonal: true },
  identityVerification: verification('identity_verification'),
  nameVerification: verification('name_verification'),
  emailVerification: verification('email_verification'),
  phoneVerification: verification('phone_verification'),
  addressVerification: verification('address_verification'),
  verificationDemand: { ...administrative, file: 'verification_demand' },
  identityRequest: { ...administrative, file: 'identity_request', isPersonal: true },
  registrarId: { ...bookkeeping, registrar: 'registrar_id' },
  number: bookkeeping,
  identKey: bookkeeping,
  nameKey: bookkeeping,
  emailKey: bookkeeping,
  domainCount: bookkeeping,
  unlinkedAt: bookkeeping,
  version: bookkeeping,
  // Of what moved in, these may name the person: `77-RegistrantUser: Mari Maasikas`. An API user's name goes as well,
  // as nobody can tell all the forms apart that former registries have given them.
  creator: { ...bookkeeping, ...named('creator_str', null), isPersonal: true },
  updater: { ...bookkeeping, ...named('updator_str', null), isPersonal: true },
  createdAt: { ...bookkeeping, ...named('created_at', null) },
  updatedAt: { ...bookkeeping, ...named('updated_at', null) },
} as const satisfies Record<keyof Contact, ContactField>;

type Fields = typeof contactFields;

type ColumnsWith<Properties> = {
  [Column in keyof Fields]: Fields[Column] extends Properties ? Column : never;
}[keyof Fields];

/** The column of a claim's verification. */
export const verificationColumn = {
  identity: 'identityVerification',
  name: 'nameVerification',
  email: 'emailVerification',
  phone: 'phoneVerification',
  address: 'addressVerification',
} as const satisfies Record<Claim, keyof Fields>;

/** The columns of the list with their fields, in its order. */
export const contactColumns = Object.entries(contactFields) as [keyof Contact, ContactField][];

/** The columns that a claim is about. Many people share a birthday, so an identity of that type includes the name. */
export function columnsOfClaim(claim: Claim, identType?: string | null): (keyof Contact)[] {
  const isNamed = claim === 'identity' && identType === 'birthday';
  return contactColumns
    .filter(([column, field]) => field.claim === claim || (isNamed && column === 'name'))
    .map(([column]) => column);
}

export const personalFields = contactColumns
  .filter(([, { isPersonal }]) => isPersonal)
  .map(([column]) => column);

export type RegistrarColumn = Exclude<keyof Fields, ColumnsWith<{ registrar: null }>>;
export type FileColumn = Exclude<keyof Fields, ColumnsWith<{ file: null }>>;
type SentColumn = Exclude<keyof Fields, ColumnsWith<{ rule: null }>>;
type IdentityColumn = ColumnsWith<{ group: 'identity' }>;
export type RequiredColumn = ColumnsWith<{ isRequired: true }>;

/** The fields that an update may change; undefined ones stay as they are. */
export type ContactChanges = {
  [Column in Exclude<SentColumn, IdentityColumn>]?:
    | Contact[Column]
    // Null asks for a new random value.
    | (Column extends 'authInfo' ? null : never)
    | undefined;
};

export type ContactIdentity = Pick<Contact, IdentityColumn>;

/** The fields that a new contact needs, and those that it may have. */
export type NewContact = ContactChanges &
  Pick<Contact, RequiredColumn> & {
    /** The suffix that the registrar chose, or the whole code. */
    code?: string | null | undefined;
  };
