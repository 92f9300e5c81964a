import { type Placeholder, type SQL, sql } from 'drizzle-orm';
import {
  type AnySQLiteColumn,
  check,
  foreignKey,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';

/**
 * Every table of the registry. The triggers are in hand-written migrations. They keep the counters
 * (`registrars.contact_count`, `contact_blocks`, `contacts.domain_count`), the instants of `registrars.lost_change_at`
 * and `contacts.unlinked_at`, and the source versions and journals of the public lists, and protect the history from
 * changes. Instants are ISO 8601 UTC text with milliseconds, days are `YYYY-MM-DD`: both sort as text and are the form
 * in which the interfaces answer.
 */

const createdAt = () => text('created_at').notNull();
const updatedAt = () => text('updated_at').notNull();

const isDay = (column: AnySQLiteColumn) => sql`${column} is date(${column})`;
const isDigest = (column: AnySQLiteColumn) =>
  sql`length(${column}) = 64 and ${column} not glob '*[^0-9a-f]*'`;
export const isOneOf = (column: AnySQLiteColumn, values: readonly string[]) =>
  sql`${column} in (${sql.raw(values.map((value) => `'${value}'`).join(', '))})`;

export const registrars = sqliteTable(
  'registrars',
  {
    id: integer().primaryKey(),
    /** New codes follow a stricter rule (src/party/registrar/operator/account.ts) than those of a former registry. */
    code: text().notNull().unique(),
    name: text().notNull(),
    /** How people reach it. Those of a former registry may not meet the rules (src/party/registrar/operator/channels.ts). */
    phone: text(),
    email: text(),
    website: text(),
    /** Addresses and CIDR ranges; empty allows every address. */
    allowedIps: text('allowed_ips', { mode: 'json' }).$type<string[]>().notNull().default([]),
    /** Saves a scan for the total of a list. */
    contactCount: integer('contact_count').notNull().default(0),
    /**
     * The latest `updated_at` that a contact lost when it was deleted or set back. Later changes get later times
     * (src/contact/contact.ts).
     */
    lostChangeAt: text('lost_change_at'),
    /** When the operator suspended the registrar's logins; null if they work. */
    suspendedAt: text('suspended_at'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    check(
      'registrars_code',
      sql`${table.code} = upper(${table.code}) and length(${table.code}) between 1 and 100`,
    ),
    check(
      'registrars_code_characters',
      sql`${table.code} not glob '*[:' || char(1) || '-' || char(31) || char(127) || ']*'`,
    ),
    check('registrars_contact_count', sql`${table.contactCount} >= 0`),
  ],
);

export const apiUsers = sqliteTable(
  'api_users',
  {
    id: integer().primaryKey(),
    registrarId: integer('registrar_id')
      .notNull()
      .references(() => registrars.id),
    username: text().notNull().unique(),
    /** SHA-256 of the secret, 64 hexadecimal digits. A login looks the user up by it. */
    secretDigest: text('secret_digest').unique(),
    /**
     * The password from a former registry (src/party/registrar/password.ts), by which a login also looks the user up.
     * Beside a secret, it is the password that the secret replaced.
     */
    passwordHash: text('password_hash'),
    /** When the user got the secret or the password. */
    secretChangedAt: text('secret_changed_at').notNull(),
    /** The previous secret. */
    previousSecretDigest: text('previous_secret_digest'),
    /** When the user got the previous secret or password; null if that no longer works. */
    previousSecretChangedAt: text('previous_secret_changed_at'),
    /** When the previous one ends; null until the new secret is first used. */
    previousSecretValidUntil: text('previous_secret_valid_until'),
    disabledAt: text('disabled_at'),
    /** A login also needs one of the user's certificates. */
    isCertificateRequired: integer('certificate_required', { mode: 'boolean' })
      .notNull()
      .default(false),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    check('api_users_username', sql`${table.username} <> '' and instr(${table.username}, ':') = 0`),
    check('api_users_secret_digest', isDigest(table.secretDigest)),
    check(
      'api_users_password_hash',
      sql`length(${table.passwordHash}) = 90 and ${table.passwordHash} glob 'pbkdf2-sha256$100000$*==$*='`,
    ),
    check(
      'api_users_credential',
      sql`${table.secretDigest} is not null or (${table.passwordHash} is not null and ${table.previousSecretDigest} is null)`,
    ),
    // A user with a secret has at most one earlier credential, and only with one has its times.
    check(
      'api_users_previous',
      sql`(${table.previousSecretChangedAt} is not null) = (${table.previousSecretDigest} is not null) + (${table.secretDigest} is not null and ${table.passwordHash} is not null)`,
    ),
    check(
      'api_users_previous_valid_until',
      sql`${table.previousSecretValidUntil} is null or ${table.previousSecretChangedAt} is not null`,
    ),
    index('api_users_registrar').on(table.registrarId),
    index('api_users_password').on(table.passwordHash).where(sql`password_hash is not null`),
    index('api_users_previous_secret')
      .on(table.previousSecretDigest)
      .where(sql`previous_secret_digest is not null`),
    index('api_users_previous_valid_until')
      .on(table.previousSecretValidUntil)
      .where(sql`previous_secret_valid_until is not null`),
  ],
);

/** The rights of a system. The last one covers every registrar or, as `act-for=<code>`, one. */
export const systemRights = ['domains', 'auctions', 'retained', 'changes', 'act-for'] as const;
export type SystemRight = (typeof systemRights)[number] | `act-for=${string}`;

/** The registry's own systems that call the service, such as an EPP server. */
export const systems = sqliteTable(
  'systems',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    name: text().notNull().unique(),
    /** SHA-256 of the key, 64 hexadecimal digits. A login looks the system up by it. */
    keyDigest: text('key_digest').notNull().unique(),
    keyChangedAt: text('key_changed_at').notNull(),
    /** The replaced key, while it works. Its end is null until the new key is first used. */
    previousKeyDigest: text('previous_key_digest').unique(),
    previousKeyValidUntil: text('previous_key_valid_until'),
    rights: text({ mode: 'json' }).$type<SystemRight[]>().notNull(),
    /** Addresses and CIDR ranges; empty allows none. */
    allowedIps: text('allowed_ips', { mode: 'json' }).$type<string[]>().notNull(),
    isCertificateRequired: integer('certificate_required', { mode: 'boolean' })
      .notNull()
      .default(false),
    disabledAt: text('disabled_at'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    check('systems_key_digest', isDigest(table.keyDigest)),
    check(
      'systems_previous_key',
      sql`${table.previousKeyValidUntil} is null or ${table.previousKeyDigest} is not null`,
    ),
  ],
);

/** Client certificates of API users and systems. */
export const certificates = sqliteTable(
  'certificates',
  {
    id: integer().primaryKey(),
    apiUserId: integer('api_user_id').references(() => apiUsers.id, { onDelete: 'cascade' }),
    systemId: integer('system_id').references(() => systems.id, { onDelete: 'cascade' }),
    /** SHA-256 of the certificate, 64 hexadecimal digits. */
    fingerprint: text().notNull(),
    /** The holder's name in the certificate. It and the end are null if only the fingerprint is known. */
    commonName: text('common_name'),
    expiresAt: text('expires_at'),
    /** When a login first presented it. */
    presentedAt: text('presented_at'),
    createdAt: createdAt(),
  },
  (table) => [
    check('certificates_holder', sql`(${table.apiUserId} is null) <> (${table.systemId} is null)`),
    check('certificates_fingerprint', isDigest(table.fingerprint)),
    uniqueIndex('certificates_of_api_user').on(table.apiUserId, table.fingerprint),
    uniqueIndex('certificates_of_system').on(table.systemId, table.fingerprint),
  ],
);

export const identityTypes = ['priv', 'org', 'birthday'] as const;

/** The statuses of RFC 5733 that are stored; `ok` and `linked` are derived. */
export const contactStatuses = [
  'clientDeleteProhibited',
  'clientTransferProhibited',
  'clientUpdateProhibited',
  'pendingCreate',
  'pendingDelete',
  'pendingTransfer',
  'pendingUpdate',
  'serverDeleteProhibited',
  'serverTransferProhibited',
  'serverUpdateProhibited',
] as const;
export type ContactStatus = (typeof contactStatuses)[number];

export const discloseableAttributes = ['name', 'email'] as const;

/** What can be checked about a contact. Fields name their claims (src/contact/fields.ts). */
export const claims = ['identity', 'name', 'email', 'phone', 'address'] as const;
export type Claim = (typeof claims)[number];

/** The newest check of a claim. The history and files show it as stored, so its names are those of the interfaces. */
export interface Verification {
  /** A UUID; the former registry's, if it moved in. */
  id: string;
  method: string;
  framework: string | null;
  /** The checker's name for the check. */
  reference: string | null;
  /** `ended` once the value that was checked has changed. */
  result: 'success' | 'failed' | 'ended';
  verified_at: string;
  /** In the format of creator_str; null if a former registry did not have it. */
  verified_by: string | null;
}

/** Claims that the operator has asked the registrar to verify. */
export interface VerificationDemand {
  claims: Claim[];
  /** The last day. */
  by: string;
}

/** The newest request to the identity service about a contact. */
export interface IdentityRequest {
  /** The service's id. */
  id: string;
  sent_at: string;
  /**
   * The person whom the service identified, and the start of the wait for the registrar's decision; null if none waits.
   */
  pending: {
    since: string;
    country_code: string;
    ident: string;
    /** Null if the contact's name stays. */
    name: string | null;
  } | null;
  /** When it led to a verification; absent before. */
  decided_at?: string | undefined;
}

const verification = (claim: Claim) =>
  text(`${claim}_verification`, { mode: 'json' }).$type<Verification>();

/** The last seven digits of a telephone number. An index uses this expression. */
export const phoneEnd = (phone: SQL) =>
  sql`substr(replace(replace(${phone}, '.', ''), ' ', ''), -7)`;

/** An index uses this expression. */
export const isUnverified = sql.raw(isNotVerified('identity'));

function isNotVerified(claim: Claim): string {
  return `${claim}_verification ->> '$.result' is not 'success'`;
}

const isClaimOpen = (claim: Claim) =>
  `instr(verification_demand, '"${claim}"') > 0 and ${isNotVerified(claim)}`;

/** As `openDemand` of src/contact/verifications.ts. An index uses this expression. */
export const hasOpenDemand = sql.raw(
  `verification_demand is not null and (${claims.map(isClaimOpen).join(' or ')})`,
);

export const demandDay = sql.raw("verification_demand ->> '$.by'");

/**
 * Contacts also hold what a former registry accepted: any text, and unknown types of identity, statuses and attributes.
 * In columns that are not null, the empty string stands for a value that it did not have.
 */
export const contacts = sqliteTable(
  'contacts',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    uuid: text().notNull().unique(),
    registrarId: integer('registrar_id')
      .notNull()
      .references(() => registrars.id),
    /** Numbers a registrar's contacts in the order of their ids, with gaps where contacts were deleted. */
    number: integer().notNull(),
    code: text().notNull().unique(),
    name: text().notNull(),
    /** `nameKey` of the name (src/base/text/search-key.ts), for searches. */
    nameKey: text('name_key').notNull(),
    orgName: text('org_name'),
    email: text().notNull(),
    /** `mailboxKey` of the email (src/contact/mailbox.ts), for searches. */
    emailKey: text('email_key').notNull(),
    phone: text().notNull(),
    fax: text(),
    ident: text().notNull(),
    /** `identityKey` of `ident` (src/contact/identity-code.ts), for finding a person's contacts. */
    identKey: text('ident_key').notNull(),
    identType: text('ident_type').notNull(),
    identCountryCode: text('ident_country_code').notNull(),
    street: text(),
    city: text(),
    zip: text(),
    state: text(),
    countryCode: text('country_code'),
    authInfo: text('auth_info').notNull(),
    statuses: text({ mode: 'json' }).$type<string[]>().notNull().default([]),
    statusNotes: text('status_notes', { mode: 'json' })
      .$type<Record<string, string>>()
      .notNull()
      .default({}),
    disclosedAttributes: text('disclosed_attributes', { mode: 'json' })
      .$type<string[]>()
      .notNull()
      .default([]),
    legacyId: text('legacy_id'),
    identityVerification: verification('identity'),
    nameVerification: verification('name'),
    emailVerification: verification('email'),
    phoneVerification: verification('phone'),
    addressVerification: verification('address'),
    verificationDemand: text('verification_demand', { mode: 'json' }).$type<VerificationDemand>(),
    identityRequest: text('identity_request', { mode: 'json' }).$type<IdentityRequest>(),
    /** The number of references from domains. Above zero, the contact is `linked`. */
    domainCount: integer('domain_count').notNull().default(0),
    /** When the last reference was removed; null if no domain has ever referred to the contact. */
    unlinkedAt: text('unlinked_at'),
    /**
     * The id of the first contact of which this one is a copy, or which it was before it got another registrar. It may be gone, and no id returns.
     * Null for any other contact.
     */
    copiedFrom: integer('copied_from'),
    /** Set by `nextVersion` of src/contact/contact.ts. Conditional writes compare it. */
    version: integer().notNull().default(1),
    creator: text(),
    updater: text(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    check(
      'contacts_code',
      sql`${table.code} = upper(${table.code}) and length(${table.code}) <= 100`,
    ),
    // A code without separators is its own key in upper case.
    check(
      'contacts_ident_key',
      sql`${table.ident} glob '*[^0-9A-Za-z]*' or ${table.identKey} = upper(${table.ident})`,
    ),
    // ASCII is its own key in upper case.
    check(
      'contacts_name_key',
      sql`${table.name} glob '*[^ -~]*' or ${table.nameKey} = upper(${table.name})`,
    ),
    check(
      'contacts_email_key',
      sql`${table.email} glob '*[^ -~]*' or ${table.emailKey} = upper(${table.email})`,
    ),
    check(
      'contacts_json',
      sql`json_valid(${table.statuses}) and json_valid(${table.statusNotes}) and json_valid(${table.disclosedAttributes})`,
    ),
    check('contacts_domain_count', sql`${table.domainCount} >= 0`),
    // Includes the code, so that a page of codes needs the index alone.
    uniqueIndex('contacts_of_registrar').on(table.registrarId, table.number, table.code),
    index('contacts_of_identity')
      .on(table.identCountryCode, table.identKey)
      .where(sql`ident_type = 'priv'`),
    // For a registrar's searches (src/contact/search.ts).
    index('contacts_by_ident').on(table.registrarId, table.identKey, table.number),
    index('contacts_by_email').on(table.registrarId, table.emailKey, table.number),
    index('contacts_by_name').on(table.registrarId, table.nameKey, table.number),
    index('contacts_by_country').on(table.registrarId, table.identCountryCode, table.number),
    index('contacts_by_change').on(table.registrarId, table.updatedAt, table.number),
    index('contacts_with_statuses')
      .on(table.registrarId, table.number)
      .where(sql`statuses <> '[]'`),
    index('contacts_linked').on(table.registrarId, table.number).where(sql`domain_count > 0`),
    // For transfers. SQLite adds the id, so it finds the newest copy.
    index('contacts_copied')
      .on(table.registrarId, table.copiedFrom)
      .where(sql`copied_from is not null`),
    index('contacts_unverified').on(table.registrarId, table.number).where(isUnverified),
    index('contacts_by_phone').on(phoneEnd(sql.raw('phone'))),
    index('contacts_demanded').on(table.registrarId, demandDay, table.number).where(hasOpenDemand),
  ],
);

/**
 * The words of each contact's name (`name_key`), once from each of its first words on to the end and then from the
 * beginning, with a blank at the end: `MARI KASK ` and `KASK MARI `. Of each, the first 60 characters. Written by
 * triggers. Not a table of SQLite's text search, because D1 exports no database with one.
 */
export const contactNames = sqliteTable(
  'contact_names',
  {
    words: text().notNull(),
    /** Also of `formerContacts`. */
    contactId: integer('contact_id').notNull(),
  },
  (table) => [primaryKey({ columns: [table.words, table.contactId] })],
);

/**
 * Deleted contacts whose names the history has, for searches. Written by triggers, which also remove a contact that comes
 * back, and one whose name is removed from the history.
 */
export const formerContacts = sqliteTable('former_contacts', {
  /** The deleted contact's; negative for one that was deleted before there was this table. */
  id: integer().primaryKey(),
  uuid: text().notNull().unique(),
  nameKey: text('name_key').notNull(),
});

/** A registrar's contacts in each block of 1,024 numbers, so that a deep page needs no scan. */
export const contactBlocks = sqliteTable(
  'contact_blocks',
  {
    registrarId: integer('registrar_id')
      .notNull()
      .references(() => registrars.id),
    block: integer().notNull(),
    count: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.registrarId, table.block] }),
    check('contact_blocks_count', sql`${table.count} >= 0`),
  ],
);

export const disclosureOutcomes = ['granted', 'refused', 'returned'] as const;

/**
 * Requests to disclose personal data, and their answers. No values of the person: an erasure removes the contact and
 * the identity, and the rest stays. Rows are never deleted.
 */
export const disclosures = sqliteTable(
  'disclosures',
  {
    id: integer().primaryKey(),
    /** The person. Found by these, because the contact's code may be another's later. */
    identCountryCode: text('ident_country_code'),
    identKey: text('ident_key'),
    identType: text('ident_type'),
    contactUuid: text('contact_uuid'),
    contactCode: text('contact_code'),
    requester: text().notNull(),
    identifiedBy: text('identified_by').notNull(),
    organization: text().notNull(),
    basis: text().notNull(),
    /** Registrars' names of the fields. */
    requestedFields: text('requested_fields', { mode: 'json' }).$type<string[]>().notNull(),
    /** The person never learns of it. */
    isConfidential: integer('confidential', { mode: 'boolean' }).notNull(),
    receivedAt: text('received_at').notNull(),
    outcome: text({ enum: disclosureOutcomes }),
    answeredAt: text('answered_at'),
    grantedFields: text('granted_fields', { mode: 'json' }).$type<string[]>(),
    /** When the person starts to see what was granted; null for at once. */
    visibleAfter: text('visible_after'),
    /** The reason of a refusal, or what was missing. */
    explanation: text(),
  },
  (table) => [
    check('disclosures_outcome', isOneOf(table.outcome, disclosureOutcomes)),
    check('disclosures_answered', sql`(${table.outcome} is null) = (${table.answeredAt} is null)`),
    check(
      'disclosures_granted',
      sql`(${table.outcome} is 'granted') = (${table.grantedFields} is not null)`,
    ),
    index('disclosures_of_identity')
      .on(table.identCountryCode, table.identKey)
      .where(sql`ident_type = 'priv' and outcome = 'granted'`),
    index('disclosures_of_contact').on(table.contactUuid),
    // For staff, whatever the outcome.
    index('disclosures_of_key').on(table.identKey),
    index('disclosures_open').on(table.receivedAt).where(sql`outcome is null`),
  ],
);

const domainNameColumns = () => ({
  /** Unicode form, lower case, NFC. */
  name: text().notNull(),
  /** The same name in ASCII. */
  punycode: text().notNull(),
});

export const domains = sqliteTable(
  'domains',
  {
    id: integer().primaryKey(),
    ...domainNameColumns(),
    registrarId: integer('registrar_id')
      .notNull()
      .references(() => registrars.id),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex('domains_name').on(table.name)],
);

export const domainRoles = ['registrant', 'admin', 'tech'] as const;

export const domainContacts = sqliteTable(
  'domain_contacts',
  {
    domainId: integer('domain_id').notNull(),
    contactId: integer('contact_id').notNull(),
    role: text({ enum: domainRoles }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.domainId, table.contactId, table.role] }),
    foreignKey({ columns: [table.domainId], foreignColumns: [domains.id] }).onDelete('cascade'),
    // Refuses to delete a linked contact, even if the link was made a moment ago.
    foreignKey({ columns: [table.contactId], foreignColumns: [contacts.id] }).onDelete('restrict'),
    check('domain_contacts_role', isOneOf(table.role, domainRoles)),
    index('domain_contacts_contact').on(table.contactId),
    uniqueIndex('domain_contacts_registrant').on(table.domainId).where(sql`role = 'registrant'`),
  ],
);

/** Registrations of the last day, which their system may take back. */
export const registrations = sqliteTable(
  'registrations',
  {
    name: text().primaryKey(),
    /** The system may be gone. Its id is never assigned again. */
    systemId: integer('system_id').notNull(),
    registeredAt: text('registered_at').notNull(),
    /** The newest entry of history that the registration wrote. A later one about the name shows a change. */
    lastEntry: integer('last_entry').notNull(),
    /** JSON, with the secrets. */
    consumed: text('used', { mode: 'json' }).$type<Consumed>().notNull(),
  },
  (table) => [index('registrations_registered_at').on(table.registeredAt)],
);

/** What a registration consumed, as it was before. */
export interface Consumed {
  auction?: { id: number; registrationCode: string };
  /** The reserved name's password. */
  password?: string;
  /** The dispute that the registration closed. */
  disputeId?: number;
}

export const auctionStatuses = [
  'started',
  'awaiting_payment',
  'no_bids',
  'payment_received',
  'payment_not_received',
  'domain_registered',
  'domain_not_registered',
] as const;
export type AuctionStatus = (typeof auctionStatuses)[number];

export const auctions = sqliteTable(
  'auctions',
  {
    id: integer().primaryKey(),
    uuid: text().notNull().unique(),
    ...domainNameColumns(),
    status: text({ enum: auctionStatuses }).notNull().default('started'),
    /**
     * 32 hexadecimal digits while the status is `payment_received`. A former registry's auctions may lack the code, or
     * have one in another status.
     */
    registrationCode: text('registration_code'),
    registrationDeadline: text('registration_deadline'),
    /** The auction centre's name for the kind of auction. The registry only stores it. */
    platform: text(),
    version: integer().notNull().default(1),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    check('auctions_status', isOneOf(table.status, auctionStatuses)),
    uniqueIndex('auctions_in_progress').on(table.name).where(sql`status = 'started'`),
    index('auctions_name').on(table.name),
    index('auctions_created_at').on(table.createdAt),
  ],
);

export const retainedStatuses = ['reserved', 'blocked'] as const;

export const retainedDomains = sqliteTable(
  'retained_domains',
  {
    ...domainNameColumns(),
    status: text({ enum: retainedStatuses }).notNull(),
    /** The password to register a reserved name. */
    password: text(),
    /** The last day, in UTC, of a reservation; null for no end. */
    lastDay: text('last_day'),
    /** Why, for staff alone. */
    comment: text(),
    /** SHA-256 digests, in hexadecimal, of passwords that registrations have used up, with spaces between them. */
    usedPasswords: text('used_passwords'),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.name, table.status] }),
    check('retained_domains_status', isOneOf(table.status, retainedStatuses)),
    check('retained_domains_last_day', isDay(table.lastDay)),
    check(
      'retained_domains_reserved',
      sql`${table.status} = 'reserved' or (${table.password} is null and ${table.lastDay} is null)`,
    ),
    index('retained_domains_last_day').on(table.lastDay).where(sql`last_day is not null`),
  ],
);

/** The last day of a dispute without an end. */
export const untilClosed = '9999-12-31';

/** A name is disputed from the first day to the last, both included, in UTC, or until the dispute is closed. */
export const disputes = sqliteTable(
  'disputes',
  {
    id: integer().primaryKey(),
    ...domainNameColumns(),
    firstDay: text('first_day').notNull(),
    lastDay: text('last_day').notNull(),
    /** The winner's password to register the name. */
    password: text(),
    comment: text(),
    initiator: text(),
    closedAt: text('closed_at'),
    createdAt: createdAt(),
  },
  (table) => [
    check('disputes_days', sql`${isDay(table.firstDay)} and ${isDay(table.lastDay)}`),
    check('disputes_order', sql`${table.firstDay} <= ${table.lastDay}`),
    index('disputes_name').on(table.name),
    index('disputes_first_day').on(table.firstDay),
    index('disputes_last_day').on(table.lastDay),
  ],
);

/**
 * True for a dispute in force on this day. The plus keeps SQLite from using the indexes on days, which would read all disputes for a few names.
 */
export function isInForce(day: string | Placeholder | SQL): SQL {
  return sql`+first_day <= ${day} and +last_day >= ${day} and closed_at is null`;
}

/**
 * One row with the version of each source of the public lists. With every change, triggers set a random version, so
 * that no version ever stands for two contents, even after a restore.
 */
export const listSources = sqliteTable(
  'list_sources',
  {
    id: integer().primaryKey(),
    auctions: integer().notNull().default(0),
    reserved: integer().notNull().default(0),
    blocked: integer().notNull().default(0),
    disputed: integer().notNull().default(0),
  },
  (table) => [check('list_sources_single', sql`${table.id} = 1`)],
);

const journalColumns = () => ({
  id: integer().primaryKey(),
  name: text().notNull(),
  at: text().notNull(),
});

/** Names that entered or left the auctions in progress, in order. Written by triggers. */
export const auctionChanges = sqliteTable('auction_changes', journalColumns());

/** The same for the reserved, blocked and disputed names. */
export const retainedChanges = sqliteTable('retained_changes', {
  ...journalColumns(),
  /** The status that the name got or lost; null if it may be any. */
  status: text(),
});

/** The last publication of each public list. */
export const listPublications = sqliteTable('list_publications', {
  list: text().primaryKey(),
  /** Random; part of the keys that the publication wrote to KV. */
  publication: text().notNull(),
  etag: text().notNull(),
  sourceVersion: text('source_version').notNull(),
  /** The last journal entry that is included. */
  journalPosition: integer('journal_position').notNull(),
  /** The UTC day of the disputes in force, `YYYY-MM-DD`. */
  day: text().notNull(),
  /** JSON: the head in KV, and its metadata. */
  head: text().notNull(),
  metadata: text().notNull(),
});

/**
 * Keys in KV that can be deleted eight days after `since`: those that a publication replaced or, while it runs, all
 * that it writes.
 */
export const replacedKeys = sqliteTable(
  'list_leftovers',
  {
    publication: text().primaryKey(),
    list: text().notNull(),
    /** A JSON array; null for every key of the publication. */
    keys: text(),
    since: text().notNull(),
  },
  // A row for each publication of the last eight days.
  (table) => [index('list_leftovers_since').on(table.since)],
);

/** How many names each public list had when the cron first ran on the day. A few rows a day, kept for ever. */
export const dailyCounts = sqliteTable(
  'daily_counts',
  {
    /** In UTC, `YYYY-MM-DD`. */
    day: text().notNull(),
    list: text().notNull(),
    count: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.day, table.list] }),
    check('daily_counts_day', isDay(table.day)),
    check('daily_counts_count', sql`${table.count} >= 0`),
  ],
);

/** Unused: the bucket alone knows its days. The previous Worker still reads it. */
export const archivedDays = sqliteTable(
  'archived_days',
  {
    list: text().notNull(),
    /** In UTC, `YYYY-MM-DD`. */
    day: text().notNull(),
    /** JSON: the record in the bucket. */
    record: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.list, table.day] }),
    check('archived_days_day', isDay(table.day)),
  ],
);

export const historySubjects = [
  'contact',
  'auction',
  'registrar',
  'api_user',
  'retained_domain',
  'dispute',
  'domain',
  'system',
  'disclosure',
] as const;
export type HistorySubject = (typeof historySubjects)[number];

export const actorTypes = [
  'api_user',
  'registrant',
  'auction_centre',
  'operator',
  'cron',
  'move_in',
  'system',
  'identity_service',
] as const;
export type ActorType = (typeof actorTypes)[number];

/**
 * A change of a field: its values before and after, or only that it changed, if the values are secret (`redacted`) or
 * were removed as personal data (`removed`). The identity code of a deleted contact also has its `key`, and the codes
 * of a domain's contacts their `uuids`. No interface shows either.
 */
export type FieldChange =
  | { from: unknown; to: unknown; key?: string; uuids?: Record<string, string> }
  | { redacted: true }
  | { removed: true };

/** A person's identity, in the entry of a contact's deletion. An index uses the country and the key. */
export const deletedIdentity = {
  isPersons: sql.raw(
    "subject = 'contact' and action = 'delete' and changes ->> '$.identType.from' = 'priv'",
  ),
  countryCode: sql.raw("changes ->> '$.identCountryCode.from'"),
  key: sql.raw("changes ->> '$.ident.key'"),
};

/** Entries with an earlier e-mail address of a contact, and the address. An index uses these expressions. */
export const formerEmail = {
  isRecorded: sql.raw("subject = 'contact' and changes ->> '$.email.from' is not null"),
  upper: sql.raw("upper(changes ->> '$.email.from')"),
};

/** True for a change of a contact's identity, if only its spelling. An index uses this expression. */
export const changesIdentity = sql.raw(
  "subject = 'contact' and action = 'update' and coalesce(changes -> '$.ident', changes -> '$.identType', changes -> '$.identCountryCode') is not null",
);

/** True for what a registrar's user, or a system such as one that acts for it, changed of its own. An index uses this expression. */
export const isByRegistrar = sql.raw(
  "registrar is not null and actor_type in ('api_user', 'system')",
);

/** The form in which the index finds a corrected identity code. */
export const correctedIdent = (code: SQL) =>
  sql`upper(replace(replace(${code}, '-', ''), ' ', ''))`;

/**
 * Every change and its author, written in the batch of the change. Triggers refuse to change or delete rows unless
 * `history_permits` allows it.
 */
export const history = sqliteTable(
  'history',
  {
    id: integer().primaryKey(),
    occurredAt: text('occurred_at').notNull(),
    subject: text({ enum: historySubjects }).notNull(),
    /** The operator's name of the subject: a code, a name or a username. */
    subjectKey: text('subject_key').notNull(),
    /** Distinguishes a contact from an earlier one with the same code. */
    subjectUuid: text('subject_uuid'),
    /**
     * The registrar's code after the change or, for a deletion, before it; null if unknown. A code, because a removed
     * registrar's id may be assigned again.
     */
    registrar: text(),
    action: text({ enum: ['create', 'update', 'delete'] }).notNull(),
    actorType: text('actor_type', { enum: actorTypes }).notNull(),
    /** In the format of creator_str: `7-ApiUser: ats`, `RegistrantUser: Mari Maasikas`, `Auction centre 192.0.2.7`. */
    actor: text().notNull(),
    requestId: text('request_id'),
    clientReference: text('client_reference'),
    changes: text({ mode: 'json' }).$type<Record<string, FieldChange>>().notNull(),
  },
  (table) => [
    check('history_subject', isOneOf(table.subject, historySubjects)),
    check('history_actor_type', isOneOf(table.actorType, actorTypes)),
    check('history_changes', sql`json_valid(${table.changes})`),
    index('history_subject_key').on(table.subject, table.subjectKey),
    index('history_of_deleted_idents')
      .on(deletedIdentity.key, deletedIdentity.countryCode)
      .where(sql`subject = 'contact' and action = 'delete'`),
    index('history_of_emails').on(formerEmail.upper).where(formerEmail.isRecorded),
    // Leads to a contact's former codes. Leaves out updates, which are most entries.
    index('history_of_contact')
      .on(table.subjectUuid)
      .where(sql`subject = 'contact' and action <> 'update'`),
    index('history_of_identity').on(table.subjectUuid).where(changesIdentity),
    index('history_of_registrar').on(table.registrar).where(isByRegistrar),
    index('history_of_corrected_idents')
      .on(correctedIdent(sql.raw("changes ->> '$.ident.from'")))
      .where(changesIdentity),
  ],
);

export const historyPermissions = ['archive', 'remove_values'] as const;

/**
 * Allows a batch to remove contacts' values from the history. The batch inserts the one row first and deletes it last.
 * `archive` is unused.
 */
export const historyPermits = sqliteTable(
  'history_permits',
  {
    id: integer().primaryKey(),
    permission: text({ enum: historyPermissions }).notNull(),
    /** Both included. */
    firstId: integer('first_id').notNull(),
    lastId: integer('last_id').notNull(),
  },
  (table) => [
    check('history_permits_single', sql`${table.id} = 1`),
    check('history_permits_permission', isOneOf(table.permission, historyPermissions)),
  ],
);

/**
 * Earlier builds archived the history until here. This table, `archivedDeletions` and the permission to archive are
 * unused. They stay for the Worker that runs until this release is deployed. The next release removes them.
 */
export const historyArchives = sqliteTable(
  'history_archives',
  {
    id: integer().primaryKey(),
    file: text(),
    run: text(),
    archivedUntil: text('archived_until'),
  },
  (table) => [check('history_archives_single', sql`${table.id} = 1`)],
);

/** Deletions and erasures in archived entries of history, except those by moving in. Unused. */
export const archivedDeletions = sqliteTable(
  'archived_deletions',
  {
    id: integer().primaryKey(),
    occurredAt: text('occurred_at').notNull(),
    subject: text({ enum: historySubjects }).notNull(),
    subjectKey: text('subject_key').notNull(),
    subjectUuid: text('subject_uuid'),
    changes: text({ mode: 'json' }).$type<Record<string, FieldChange>>().notNull(),
  },
  (table) => [
    index('archived_deletions_subject_key').on(table.subject, table.subjectKey),
    index('archived_deletions_of_contact').on(table.subjectUuid).where(sql`subject = 'contact'`),
  ],
);

/** Where the cron continues in a table. */
export const sweeps = sqliteTable('sweeps', {
  name: text().primaryKey(),
  /** The last id that it examined. */
  after: integer().notNull(),
});

/** The last runs of the cron. */
export const cronRuns = sqliteTable('cron_runs', {
  id: integer().primaryKey(),
  /** The expression in wrangler.toml that started the run. */
  cron: text().notNull(),
  startedAt: text('started_at').notNull(),
  tookMilliseconds: integer('took_ms').notNull(),
  /** JSON: the failed works, by their names in src/worker/cron.ts. */
  failed: text({ mode: 'json' }).$type<string[]>().notNull(),
});

export const lookSubjects = [
  'contact',
  'name',
  'registrar',
  'request',
  'disclosure',
  'search',
  'today',
] as const;

/** Who looked at what on the deployed desk, kept for `DESK_LOOKS_DAYS`. */
export const deskLooks = sqliteTable(
  'desk_looks',
  {
    id: integer().primaryKey(),
    lookedAt: text('looked_at').notNull(),
    /** The e-mail address with which the platform identified somebody. */
    lookedBy: text('looked_by').notNull(),
    subject: text({ enum: lookSubjects }).notNull(),
    /**
     * A contact's UUID, which belongs to one life of it; otherwise the key in the page's address. Empty for a search,
     * whose text may be personal.
     */
    key: text().notNull(),
  },
  (table) => [
    index('desk_looks_looked_at').on(table.lookedAt),
    index('desk_looks_subject_key').on(table.subject, table.key),
  ],
);

export const notificationEvents = [
  'contact.updated',
  'contact.deleted',
  'contact.verified',
  'contact.verification_pending',
  'contact.verification_required',
  'api_user.updated',
] as const;
export type NotificationEvent = (typeof notificationEvents)[number];

/** `transfer`: the contact was handed over, or a copy has replaced it. */
export const notificationCauses = ['transfer'] as const;

/** Changes by others to a registrar's contacts, and new secrets. Written in the batch of the change. */
export const notifications = sqliteTable(
  'notifications',
  {
    /** Never reused, because a registrar may still refer to a deleted notification. */
    id: integer().primaryKey({ autoIncrement: true }),
    registrarId: integer('registrar_id')
      .notNull()
      .references(() => registrars.id),
    event: text({ enum: notificationEvents }).notNull(),
    text: text().notNull(),
    /** The contact's code, even if it was deleted, or the API user's name. */
    subjectKey: text('subject_key').notNull(),
    /** Why, where the event alone does not say it. */
    cause: text({ enum: notificationCauses }),
    /** The changed fields, in registrars' names, without values. */
    fields: text({ mode: 'json' }).$type<string[]>().notNull(),
    createdAt: createdAt(),
    /** Null until the registrar marks it. */
    readAt: text('read_at'),
  },
  (table) => [
    check('notifications_fields', sql`json_valid(${table.fields})`),
    index('notifications_unread').on(table.registrarId, table.id).where(sql`read_at is null`),
    index('notifications_read').on(table.readAt).where(sql`read_at is not null`),
  ],
);

/** Registrars' addresses for notifications. Each gets one delivery at a time. */
export const webhooks = sqliteTable('webhooks', {
  registrarId: integer('registrar_id')
    .primaryKey()
    .references(() => registrars.id),
  url: text().notNull(),
  /** `whsec_` and base64, as the operator sees it. Signing needs the secret, not a digest. */
  secret: text().notNull(),
  /** The registrar's earlier secrets. Each signs beside the current one until its time. */
  replacedSecrets: text('replaced_secrets', { mode: 'json' })
    .$type<{ secret: string; until: string }[]>()
    .notNull()
    .default([]),
  createdAt: createdAt(),
  /** The turn: a message in the queue, which has this time too, sends until then; null if there is none. */
  queuedUntil: text('queued_until'),
  /** A process sends, and no other may, until then. */
  heldUntil: text('held_until'),
  /** Deliveries, but no tests, pause until then, because the endpoint has failed. */
  resumesAt: text('resumes_at'),
  /** The receiver has asked for nothing before then (`Retry-After`). */
  retryAfter: text('retry_after'),
  /** Failed attempts since the last success. */
  failures: integer().notNull().default(0),
  /** The first of them. */
  failingSince: text('failing_since'),
  /** When the receiver answered 410. Nothing is sent until the webhook is set again. */
  goneAt: text('gone_at'),
});

/** Deliveries to make, each written in the batch of its change, and the log of those that arrived. */
export const webhookDeliveries = sqliteTable(
  'webhook_deliveries',
  {
    /** Sent as `webhook-id`, by which receivers recognise repeats. */
    id: text().primaryKey(),
    registrarId: integer('registrar_id')
      .notNull()
      .references(() => registrars.id),
    /** The order of deliveries. Null for a test, which is the registrar's next delivery. */
    notificationId: integer('notification_id').references(() => notifications.id, {
      onDelete: 'cascade',
    }),
    createdAt: createdAt(),
    /** When the wait began: at its creation, or with the operator's last `resend`. A test's may be later. */
    waitsSince: text('waits_since').notNull(),
    attempts: integer().notNull().default(0),
    attemptedAt: text('attempted_at'),
    /** The result of the last attempt, in a few words. */
    outcome: text(),
    /** The HTTP status of the last attempt; null if nobody answered. */
    status: integer(),
    deliveredAt: text('delivered_at'),
    /** When the delivery was given up. */
    failedAt: text('failed_at'),
    /** When the operator dropped it, or the registrar's webhook ended: it needs no attention any more. */
    droppedAt: text('dropped_at'),
  },
  (table) => {
    const isOpen = sql`delivered_at is null and failed_at is null`;
    return [
      index('webhook_deliveries_given_up')
        .on(table.registrarId)
        .where(sql`failed_at is not null and dropped_at is null and notification_id is not null`),
      index('webhook_deliveries_created_at').on(table.createdAt),
      index('webhook_deliveries_of_registrar').on(table.registrarId, table.createdAt),
      // Saves a scan of the deliveries for each deleted notification, and finds a registrar's tests.
      index('webhook_deliveries_notification').on(
        table.notificationId,
        table.registrarId,
        table.createdAt,
      ),
      // SQLite must prefer it to the other index that begins with the registrar, so it has the columns of its condition.
      index('webhook_deliveries_open')
        .on(table.registrarId, table.deliveredAt, table.failedAt, table.notificationId)
        .where(isOpen),
      index('webhook_deliveries_waiting').on(table.waitsSince).where(isOpen),
    ];
  },
);

/** Outcomes of writes with an idempotency key, kept for a day. */
export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    /** The key's user, because two callers may choose the same key. */
    caller: text().notNull(),
    key: text().notNull(),
    /** SHA-256 of method, path and body, to recognise a repeated request. */
    requestDigest: text('request_digest').notNull(),
    createdAt: createdAt(),
    /** JSON: the outcome of the write, from which each answer is made. */
    outcome: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.caller, table.key] }),
    index('idempotency_keys_created_at').on(table.createdAt),
  ],
);
