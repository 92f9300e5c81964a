import type * as z from 'zod/mini';
import type { Claim } from '../../drizzle/schema.ts';
import type { Contact } from './contact.ts';
import { contactRules } from './rules.ts';

export type Sender = 'registrar' | 'registrant';

export interface ContactField {
  /** Names in answers to registrars, in answers to registrants (a path) and in files; null if absent there. */
  registrar: string | null;
  registrant: string | null;
  file: string | null;
  /** The rule for values from clients; null if they never send it. */
  rule: (() => z.ZodMiniType) | null;
  sentBy: readonly Sender[];
  group: 'address' | 'identity' | null;
  isRequired: boolean;
  /** An empty list clears a list; null or the empty string clears text. */
  isList: boolean;
  /** Content is lost with the contact, so the history records it at the deletion. */
  isContent: boolean;
  isPersonal: boolean;
  /** A fact on the staff's page of a contact. What its heading says isn't, and neither is a secret. */
  isOnDesk: boolean;
  /** The claim that ends when the value changes. */
  claim: Claim | null;
  /** Shown to registrars for an unknown value; registrants see an empty string. */
  blank: '' | null;
}

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
  isOnDesk: false,
  claim: null,
  blank: null,
} as const;

const text = {
  sentBy: ['registrar', 'registrant'],
  group: null,
  isRequired: false,
  isList: false,
  isContent: true,
  isPersonal: true,
  isOnDesk: true,
  claim: null,
  blank: null,
} as const;
const requiredText = { ...text, isRequired: true } as const;
const addressText = { ...text, group: 'address', claim: 'address', blank: '' } as const;

/** Only the operator can change it; a client's update may repeat it. */
const identity = {
  ...requiredText,
  sentBy: ['registrar'],
  group: 'identity',
  isOnDesk: false,
  claim: 'identity',
} as const;

/** Set by an import or by the operator. */
const administrative = { ...bookkeeping, isContent: true, isOnDesk: true } as const;

/** A change of the verified value ends it. It may name a personal document. */
const verification = <const Name extends string>(file: Name) =>
  ({ ...administrative, file, isPersonal: true }) as const;

function named<const Name extends string>(registrar: Name, registrant: string | null = registrar) {
  return { registrar, registrant, file: registrar };
}

/**
 * All fields of a contact in the order for registrants. Answers, bodies, files and history derive from them. A missing
 * column does not compile.
 */
export const contactFields = {
  id: { ...bookkeeping, registrar: 'id' },
  uuid: { ...bookkeeping, registrant: 'id', file: 'uuid' },
  name: {
    ...requiredText,
    ...named('name'),
    rule: contactRules.name,
    isOnDesk: false,
    claim: 'name',
  },
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
    isOnDesk: false,
  },
  statuses: { ...administrative, ...named('statuses') },
  // The desk shows each beside its status.
  statusNotes: {
    ...administrative,
    ...named('status_notes', null),
    isPersonal: true,
    isOnDesk: false,
  },
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
  copiedFrom: bookkeeping,
  version: bookkeeping,
  // Values that moved in may name the person: `77-RegistrantUser: Mari Maasikas`. Former registries had many forms, so
  // API users' names count as well.
  creator: { ...bookkeeping, ...named('creator_str', null), isPersonal: true },
  updater: { ...bookkeeping, ...named('updator_str', null), isPersonal: true },
  createdAt: { ...bookkeeping, ...named('created_at', null) },
  updatedAt: { ...bookkeeping, ...named('updated_at', null) },
} as const satisfies Record<keyof Contact, ContactField>;

type Fields = typeof contactFields;

type ColumnsWith<Properties> = {
  [Column in keyof Fields]: Fields[Column] extends Properties ? Column : never;
}[keyof Fields];

export const verificationColumn = {
  identity: 'identityVerification',
  name: 'nameVerification',
  email: 'emailVerification',
  phone: 'phoneVerification',
  address: 'addressVerification',
} as const satisfies Record<Claim, keyof Fields>;

export const contactColumns = Object.entries(contactFields) as [keyof Contact, ContactField][];

/** Includes the name for birthdays, which many people share. */
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

/** Undefined fields stay as they are. */
export type ContactChanges = {
  [Column in Exclude<SentColumn, IdentityColumn>]?:
    | Contact[Column]
    // Null asks for a new random value.
    | (Column extends 'authInfo' ? null : never)
    | undefined;
};

export type ContactIdentity = Pick<Contact, IdentityColumn>;

export type NewContact = ContactChanges &
  Pick<Contact, RequiredColumn> & {
    code?: string | null | undefined;
  };
