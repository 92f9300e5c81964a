import type * as z from 'zod';
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
  rule: (() => z.ZodType) | null;
  sentBy: readonly Sender[];
  /** The object that surrounds it in a body. */
  group: 'address' | 'identity' | null;
  /** Required fields are never empty; others may be cleared. */
  isRequired: boolean;
  /** A list is cleared by an empty list, text by null or the empty string. */
  isList: boolean;
  /** It describes the contact and is lost with it, so the history of the deletion records it. */
  isContent: boolean;
  /** Its values are personal data. */
  isPersonal: boolean;
  /** The value that registrars see if it is unknown; registrants see an empty string. */
  blank: '' | null;
}

/** Set only by the registry. */
const bookkeeping = {
  rule: null,
  sentBy: [],
  group: null,
  isRequired: false,
  isList: false,
  isContent: false,
  isPersonal: false,
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
  blank: null,
} as const;
const requiredText = { ...text, isRequired: true } as const;
const addressText = { ...text, group: 'address', blank: '' } as const;

/** An update cannot change it, only repeat it. */
const identity = {
  ...requiredText,
  sentBy: ['registrar'],
  group: 'identity',
} as const;

/** About the contact as an object of the registry; set by an import or by the operator. */
const administrative = { ...bookkeeping, isContent: true } as const;

/**
 * Every field of a contact, in the order in which registrants see them. If a column is missing here, the list does not
 * compile. Everything that handles fields one by one is derived from it: answers, bodies, files, history.
 */
export const contactFields = {
  id: { ...bookkeeping, registrar: 'id', registrant: null, file: null },
  uuid: { ...bookkeeping, registrar: null, registrant: 'id', file: 'uuid' },
  name: {
    ...requiredText,
    registrar: 'name',
    registrant: 'name',
    file: 'name',
    rule: contactRules.name,
  },
  code: { ...bookkeeping, registrar: 'code', registrant: 'code', file: 'code' },
  ident: {
    ...identity,
    registrar: 'ident',
    registrant: 'ident.code',
    file: 'ident',
    rule: contactRules.ident,
  },
  identType: {
    ...identity,
    registrar: 'ident_type',
    registrant: 'ident.type',
    file: 'ident_type',
    rule: contactRules.identType,
    isPersonal: false,
  },
  identCountryCode: {
    ...identity,
    registrar: 'ident_country_code',
    registrant: 'ident.country_code',
    file: 'ident_country_code',
    rule: contactRules.identCountryCode,
    isPersonal: false,
  },
  email: {
    ...requiredText,
    registrar: 'email',
    registrant: 'email',
    file: 'email',
    rule: contactRules.email,
  },
  phone: {
    ...requiredText,
    registrar: 'phone',
    registrant: 'phone',
    file: 'phone',
    rule: contactRules.phone,
  },
  fax: { ...text, registrar: 'fax', registrant: 'fax', file: 'fax', rule: contactRules.fax },
  street: {
    ...addressText,
    registrar: 'street',
    registrant: 'address.street',
    file: 'street',
    rule: contactRules.street,
  },
  zip: {
    ...addressText,
    registrar: 'zip',
    registrant: 'address.zip',
    file: 'zip',
    rule: contactRules.zip,
  },
  city: {
    ...addressText,
    registrar: 'city',
    registrant: 'address.city',
    file: 'city',
    rule: contactRules.city,
  },
  state: {
    ...addressText,
    registrar: 'state',
    registrant: 'address.state',
    file: 'state',
    rule: contactRules.state,
    blank: null,
  },
  countryCode: {
    ...addressText,
    registrar: 'country_code',
    registrant: 'address.country_code',
    file: 'country_code',
    rule: contactRules.countryCode,
  },
  orgName: {
    ...text,
    registrar: 'org_name',
    registrant: null,
    file: 'org_name',
    rule: contactRules.orgName,
    sentBy: ['registrar'],
  },
  authInfo: {
    ...text,
    registrar: 'auth_info',
    registrant: 'auth_info',
    file: 'auth_info',
    rule: contactRules.authInfo,
    sentBy: ['registrar'],
    isPersonal: false,
  },
  statuses: {
    ...administrative,
    registrar: 'statuses',
    registrant: 'statuses',
    file: 'statuses',
  },
  statusNotes: {
    ...administrative,
    registrar: 'status_notes',
    registrant: null,
    file: 'status_notes',
    isPersonal: true,
  },
  disclosedAttributes: {
    ...administrative,
    registrar: null,
    registrant: 'disclosed_attributes',
    file: 'disclosed_attributes',
    rule: contactRules.disclosedAttributes,
    isList: true,
    sentBy: ['registrant'],
  },
  legacyId: { ...administrative, registrar: 'legacy_id', registrant: null, file: 'legacy_id' },
  registrarId: { ...bookkeeping, registrar: 'registrar_id', registrant: null, file: null },
  number: { ...bookkeeping, registrar: null, registrant: null, file: null },
  identKey: { ...bookkeeping, registrar: null, registrant: null, file: null },
  domainCount: { ...bookkeeping, registrar: null, registrant: null, file: null },
  unlinkedAt: { ...bookkeeping, registrar: null, registrant: null, file: null },
  version: { ...bookkeeping, registrar: null, registrant: null, file: null },
  creator: { ...bookkeeping, registrar: 'creator_str', registrant: null, file: 'creator_str' },
  updater: { ...bookkeeping, registrar: 'updator_str', registrant: null, file: 'updator_str' },
  createdAt: { ...bookkeeping, registrar: 'created_at', registrant: null, file: 'created_at' },
  updatedAt: { ...bookkeeping, registrar: 'updated_at', registrant: null, file: 'updated_at' },
} as const satisfies Record<keyof Contact, ContactField>;

type Fields = typeof contactFields;

/** The columns whose fields have these properties. */
type ColumnsWith<Properties> = {
  [Column in keyof Fields]: Fields[Column] extends Properties ? Column : never;
}[keyof Fields];

/** The columns of the list with their fields, in its order. */
export const contactColumns = Object.entries(contactFields) as [keyof Contact, ContactField][];

/** The columns whose values are personal data. */
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

/** The identity of a contact. */
export type ContactIdentity = Pick<Contact, IdentityColumn>;

/** The fields that a new contact needs, and those that it may have. */
export type NewContact = ContactChanges &
  Pick<Contact, RequiredColumn> & {
    /** The suffix that the registrar chose, or the whole code. */
    code?: string | null | undefined;
  };
