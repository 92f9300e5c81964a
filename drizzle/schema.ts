import { sql } from 'drizzle-orm';
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
 * Every table of the registry. Triggers live in the hand-written migrations beside the generated ones:
 * they keep the counters (`registrars.contact_count`, `contact_blocks`, `contacts.domain_count`), the instant of
 * `contacts.unlinked_at`, the source versions and journals of the public lists, and history from being changed.
 *
 * Instants are ISO 8601 UTC text with milliseconds, days are `YYYY-MM-DD`: both sort as text and are
 * the form in which the interfaces answer.
 */

const createdAt = () => text('created_at').notNull();
const updatedAt = () => text('updated_at').notNull();

const isCountryCode = (column: AnySQLiteColumn) => sql`${column} glob '[A-Z][A-Z]'`;
const isDay = (column: AnySQLiteColumn) => sql`${column} is date(${column})`;
const isOneOf = (column: AnySQLiteColumn, values: readonly string[]) =>
  sql`${column} in (${sql.raw(values.map((value) => `'${value}'`).join(', '))})`;

export const registrars = sqliteTable(
  'registrars',
  {
    id: integer().primaryKey(),
    code: text().notNull().unique(),
    name: text().notNull(),
    /** Addresses and CIDR ranges; empty allows every address. */
    allowedIps: text('allowed_ips', { mode: 'json' }).$type<string[]>().notNull().default([]),
    /** Kept by triggers on contacts, so that a list's total costs no scan. */
    contactCount: integer('contact_count').notNull().default(0),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    check('registrars_code', sql`${table.code} <> '' and ${table.code} not glob '*[^A-Z0-9_-]*'`),
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
    /** SHA-256 of the secret, 64 hexadecimal digits: the key that a login is looked up by. */
    secretDigest: text('secret_digest').notNull().unique(),
    disabledAt: text('disabled_at'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    check('api_users_username', sql`${table.username} <> '' and instr(${table.username}, ':') = 0`),
    check(
      'api_users_secret_digest',
      sql`length(${table.secretDigest}) = 64 and ${table.secretDigest} not glob '*[^0-9a-f]*'`,
    ),
    index('api_users_registrar').on(table.registrarId),
  ],
);

export const identityTypes = ['priv', 'org', 'birthday'] as const;

/**
 * What people write between the letters and digits of an identity code: everything else that ASCII has, and the
 * spaces, hyphens and dashes that a word processor puts in.
 */
export const identSeparators = [
  ' !"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~',
  '\u00a0\u00ad\u00b7\u2002\u2003\u2007\u2009\u200b\u200c\u200d',
  '\u2010\u2011\u2012\u2013\u2014\u2015\u202f\u2060\u2212\ufeff',
].join('');

/** `identityKey` (src/contact/identity-code.ts) in SQL. Most codes have no separators and take the short way. */
const identKeyOf = (ident: string) => {
  const bare = Array.from(identSeparators).reduce(
    (text, separator) => `replace(${text}, char(${separator.codePointAt(0)}), '')`,
    `upper(${ident})`,
  );
  return sql.raw(`case when ${ident} not glob '*[^0-9A-Za-z]*' then upper(${ident})
    else coalesce(nullif(${bare}, ''), ${ident}) end`);
};

/** What RFC 5733 lets be stored; `ok` and `linked` are derived. */
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
export type DiscloseableAttribute = (typeof discloseableAttributes)[number];

export const contacts = sqliteTable(
  'contacts',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    uuid: text().notNull().unique(),
    registrarId: integer('registrar_id')
      .notNull()
      .references(() => registrars.id),
    /** Counts a registrar's contacts in the order of their ids, with gaps where some were deleted. */
    number: integer().notNull(),
    code: text().notNull().unique(),
    name: text().notNull(),
    orgName: text('org_name'),
    email: text().notNull(),
    phone: text().notNull(),
    fax: text(),
    ident: text().notNull(),
    /** The form of `ident` that two codes are compared in: letters and digits only, without regard to case. */
    identKey: text('ident_key').generatedAlwaysAs(identKeyOf('ident'), { mode: 'virtual' }),
    identType: text('ident_type', { enum: identityTypes }).notNull(),
    identCountryCode: text('ident_country_code').notNull(),
    street: text(),
    city: text(),
    zip: text(),
    state: text(),
    countryCode: text('country_code'),
    authInfo: text('auth_info').notNull(),
    statuses: text({ mode: 'json' }).$type<ContactStatus[]>().notNull().default([]),
    statusNotes: text('status_notes', { mode: 'json' })
      .$type<Record<string, string>>()
      .notNull()
      .default({}),
    disclosedAttributes: text('disclosed_attributes', { mode: 'json' })
      .$type<DiscloseableAttribute[]>()
      .notNull()
      .default([]),
    legacyId: text('legacy_id'),
    /** Domains' references to the contact, kept by triggers on domain_contacts: above zero is `linked`. */
    domainCount: integer('domain_count').notNull().default(0),
    /** When the last reference went, kept by the same triggers; null where a domain has never referred to the contact. */
    unlinkedAt: text('unlinked_at'),
    /** Grows by one with every update: what a conditional write compares. */
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
    check('contacts_ident_type', isOneOf(table.identType, identityTypes)),
    check('contacts_ident_country_code', isCountryCode(table.identCountryCode)),
    check(
      'contacts_country_code',
      sql`${table.countryCode} is null or ${isCountryCode(table.countryCode)}`,
    ),
    check(
      'contacts_json',
      sql`json_valid(${table.statuses}) and json_valid(${table.statusNotes}) and json_valid(${table.disclosedAttributes})`,
    ),
    check('contacts_domain_count', sql`${table.domainCount} >= 0`),
    // The code rides along, so that a page of codes is read from the index alone.
    uniqueIndex('contacts_of_registrar').on(table.registrarId, table.number, table.code),
    index('contacts_of_identity')
      .on(table.identCountryCode, table.identKey)
      .where(sql`ident_type = 'priv'`),
    // For the Worker from before `contacts_of_identity`: the release after it drops this one.
    index('contacts_of_person')
      .on(table.identCountryCode, table.ident)
      .where(sql`ident_type = 'priv'`),
  ],
);

/** How many contacts of a registrar have a number in each block of 1,024, so that a deep page is found without a walk. */
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
    // Refuses the deletion of a linked contact, whoever was faster.
    foreignKey({ columns: [table.contactId], foreignColumns: [contacts.id] }).onDelete('restrict'),
    check('domain_contacts_role', isOneOf(table.role, domainRoles)),
    index('domain_contacts_contact').on(table.contactId),
    uniqueIndex('domain_contacts_registrant').on(table.domainId).where(sql`role = 'registrant'`),
  ],
);

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
    /** 32 hexadecimal digits, there exactly while the auction is paid. */
    registrationCode: text('registration_code'),
    registrationDeadline: text('registration_deadline'),
    /** What the auction centre calls the kind of the auction; the registry only keeps it. */
    platform: text(),
    version: integer().notNull().default(1),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    check('auctions_status', isOneOf(table.status, auctionStatuses)),
    check(
      'auctions_registration_code',
      sql`(${table.status} = 'payment_received') = (${table.registrationCode} is not null)`,
    ),
    uniqueIndex('auctions_in_progress').on(table.name).where(sql`status = 'started'`),
    index('auctions_name').on(table.name),
  ],
);

export const retainedStatuses = ['reserved', 'blocked'] as const;

export const retainedDomains = sqliteTable(
  'retained_domains',
  {
    ...domainNameColumns(),
    status: text({ enum: retainedStatuses }).notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.name, table.status] }),
    check('retained_domains_status', isOneOf(table.status, retainedStatuses)),
  ],
);

/** The names of a replacement of reserved or blocked ones, from the first of them to the step that makes them visible. */
export const retainedReplacements = sqliteTable(
  'retained_replacements',
  {
    /** The instant at which the replacement began, and a UUID. */
    replacement: text().notNull(),
    ...domainNameColumns(),
    status: text({ enum: retainedStatuses }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.replacement, table.name, table.status] }),
    check('retained_replacements_status', isOneOf(table.status, retainedStatuses)),
  ],
);

/** A name is disputed from its first day to its last, both included, in UTC. */
export const disputes = sqliteTable(
  'disputes',
  {
    id: integer().primaryKey(),
    ...domainNameColumns(),
    firstDay: text('first_day').notNull(),
    lastDay: text('last_day').notNull(),
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
 * One row: the version of each source of the public lists. Triggers set it to a random number with every change, so
 * that no version ever names two contents, not even after a restore.
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
  /** Null in rows from before the column. */
  at: text(),
});

/** The names whose auctions in progress changed, in the order of the changes; written by triggers. */
export const auctionChanges = sqliteTable('auction_changes', journalColumns());

/** The same for reserved, blocked and disputed names. */
export const retainedChanges = sqliteTable('retained_changes', {
  ...journalColumns(),
  /** The status that the name got or lost; null where it may be any. */
  status: text(),
});

/** What was last published of each public list. */
export const listPublications = sqliteTable('list_publications', {
  list: text().primaryKey(),
  /** Random; the prefix of the keys that the publication wrote to KV. */
  publication: text().notNull(),
  etag: text().notNull(),
  sourceVersion: text('source_version').notNull(),
  /** The id of the last change in the journal that the list contains. */
  journalPosition: integer('journal_position').notNull(),
  /** The UTC day by which disputes were judged, `YYYY-MM-DD`. */
  day: text().notNull(),
  /** JSON: the head that KV holds, and its metadata. */
  head: text().notNull(),
  metadata: text().notNull(),
});

/**
 * Keys in KV that no list will need a day after `since`: what a publication replaced and, while it is under way,
 * everything that it writes.
 */
export const listLeftovers = sqliteTable('list_leftovers', {
  publication: text().primaryKey(),
  list: text().notNull(),
  /** A JSON array; null for every key of the publication. */
  keys: text(),
  since: text().notNull(),
});

/**
 * How many names were on each public list on a day, as it was published when the cron first ran on that day. A few rows
 * a day, kept for ever.
 */
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

/** Read and written by version 0.1 only, which may still run during a deployment. */
export const listBuilds = sqliteTable('list_builds', {
  list: text().primaryKey(),
  sourceVersion: text('source_version').notNull(),
  etag: text().notNull(),
});

export const historySubjects = [
  'contact',
  'auction',
  'registrar',
  'api_user',
  'retained_domain',
  'dispute',
  'domain',
] as const;
export type HistorySubject = (typeof historySubjects)[number];

export const actorTypes = ['api_user', 'registrant', 'auction_centre', 'operator', 'cron'] as const;
export type ActorType = (typeof actorTypes)[number];

/**
 * What happened to a field: its values; or only that it changed, where they are secret (`redacted`) or were removed
 * later because they are personal (`removed`).
 */
export type FieldChange = { from: unknown; to: unknown } | { redacted: true } | { removed: true };

/**
 * The identity that a person's contact had, in the history of its deletion. The index `history_of_deleted_persons` is
 * on these expressions; it is in a hand-written migration, because drizzle-kit cuts expressions at their commas.
 */
export const deletedIdentity = {
  isPersons: sql.raw(
    "subject = 'contact' and action = 'delete' and changes ->> '$.identType.from' = 'priv'",
  ),
  countryCode: sql.raw("changes ->> '$.identCountryCode.from'"),
  key: identKeyOf("changes ->> '$.ident.from'"),
};

/**
 * Who changed what, written in the same batch as the change. Triggers refuse to change or delete a row, except as
 * `history_permits` says.
 */
export const history = sqliteTable(
  'history',
  {
    id: integer().primaryKey(),
    occurredAt: text('occurred_at').notNull(),
    subject: text({ enum: historySubjects }).notNull(),
    /** What the operator calls it: a code, a name, a username. */
    subjectKey: text('subject_key').notNull(),
    /** Tells a contact from an earlier one with the same code. */
    subjectUuid: text('subject_uuid'),
    action: text({ enum: ['create', 'update', 'delete'] }).notNull(),
    actorType: text('actor_type', { enum: actorTypes }).notNull(),
    /** In the form of creator_str: `7-ApiUser: ats`, `RegistrantUser: Mari Maasikas`, `Auction centre 192.0.2.7`. */
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
  ],
);

export const historyPermissions = ['archive', 'remove_values'] as const;

/**
 * One row, and only inside a batch that inserts it first and deletes it last: which entries of history the batch may
 * delete, or remove the values of contacts from. Without it the triggers refuse both.
 */
export const historyPermits = sqliteTable(
  'history_permits',
  {
    id: integer().primaryKey(),
    permission: text({ enum: historyPermissions }).notNull(),
    /** The entries from this one to that one, both included. */
    firstId: integer('first_id').notNull(),
    lastId: integer('last_id').notNull(),
  },
  (table) => [
    check('history_permits_single', sql`${table.id} = 1`),
    check('history_permits_permission', isOneOf(table.permission, historyPermissions)),
  ],
);

/** One row while history is being archived, and after that was interrupted: the file that has to be finished first. */
export const historyArchives = sqliteTable(
  'history_archives',
  {
    id: integer().primaryKey(),
    file: text().notNull(),
    /** A UUID of the process that archives: another one that takes over stops it. */
    run: text().notNull(),
  },
  (table) => [check('history_archives_single', sql`${table.id} = 1`)],
);

/** How far the scheduled run has come in looking through a table, so that the next one continues there. */
export const sweeps = sqliteTable('sweeps', {
  name: text().primaryKey(),
  /** The last id that was looked at. */
  after: integer().notNull(),
});

/** The last runs of the cron. */
export const cronRuns = sqliteTable('cron_runs', {
  id: integer().primaryKey(),
  /** The expression in wrangler.toml that started it. */
  cron: text().notNull(),
  startedAt: text('started_at').notNull(),
  tookMilliseconds: integer('took_ms').notNull(),
  /** JSON: the names of the works that failed. */
  failed: text({ mode: 'json' }).$type<string[]>().notNull(),
});

export const notificationEvents = ['contact.updated', 'contact.deleted'] as const;
export type NotificationEvent = (typeof notificationEvents)[number];

/** What others did to a registrar's contacts, for the registrar to read; written in the batch of the change. */
export const notifications = sqliteTable(
  'notifications',
  {
    /** Never given twice: a registrar may still refer to one that was deleted. */
    id: integer().primaryKey({ autoIncrement: true }),
    registrarId: integer('registrar_id')
      .notNull()
      .references(() => registrars.id),
    event: text({ enum: notificationEvents }).notNull(),
    text: text().notNull(),
    /** The contact may be gone. */
    contactCode: text('contact_code').notNull(),
    /** The names of the fields that changed, as registrars know them; no values. */
    fields: text({ mode: 'json' }).$type<string[]>().notNull(),
    createdAt: createdAt(),
    /** Null until the registrar says that it has read it. */
    readAt: text('read_at'),
  },
  (table) => [
    check('notifications_event', isOneOf(table.event, notificationEvents)),
    check('notifications_fields', sql`json_valid(${table.fields})`),
    index('notifications_unread').on(table.registrarId, table.id).where(sql`read_at is null`),
    index('notifications_read').on(table.readAt).where(sql`read_at is not null`),
  ],
);

/** Where a registrar wants its notifications pushed to. */
export const webhooks = sqliteTable('webhooks', {
  registrarId: integer('registrar_id')
    .primaryKey()
    .references(() => registrars.id),
  url: text().notNull(),
  /** `whsec_` and base64, as it was shown to the operator: signing takes the secret itself, not a digest. */
  secret: text().notNull(),
  createdAt: createdAt(),
});

/** What is to be pushed and what was: the outbox of the queue, written in the batch of the change, and its log. */
export const webhookDeliveries = sqliteTable(
  'webhook_deliveries',
  {
    /** `webhook-id`, by which the receiver recognises a repetition. */
    id: text().primaryKey(),
    registrarId: integer('registrar_id')
      .notNull()
      .references(() => registrars.id),
    /** Null for a test. */
    notificationId: integer('notification_id').references(() => notifications.id, {
      onDelete: 'cascade',
    }),
    createdAt: createdAt(),
    /** When it was last given to the queue. */
    queuedAt: text('queued_at'),
    attempts: integer().notNull().default(0),
    attemptedAt: text('attempted_at'),
    /** What came of the last attempt, in a few words. */
    outcome: text(),
    deliveredAt: text('delivered_at'),
    /** When it was given up. */
    failedAt: text('failed_at'),
  },
  (table) => [
    index('webhook_deliveries_created_at').on(table.createdAt),
    index('webhook_deliveries_open')
      .on(table.queuedAt)
      .where(sql`delivered_at is null and failed_at is null`),
  ],
);

/** Outcomes of writes that carried an idempotency key, kept for a day. */
export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    /** Whose key it is: two callers may use the same one. */
    caller: text().notNull(),
    key: text().notNull(),
    /** SHA-256 of method, path and body: tells a repeated request from another with the same key. */
    requestDigest: text('request_digest').notNull(),
    /** Not used any more: the answer, where the version before this one kept it. */
    body: text().notNull(),
    createdAt: createdAt(),
    /** JSON of what the write came to, from which the answer is made each time. */
    outcome: text(),
  },
  (table) => [
    primaryKey({ columns: [table.caller, table.key] }),
    index('idempotency_keys_created_at').on(table.createdAt),
  ],
);
