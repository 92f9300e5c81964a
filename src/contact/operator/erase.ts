import { and, desc, eq, type SQL, sql } from 'drizzle-orm';
import {
  contacts,
  deletedIdentity,
  disclosures,
  history,
  idempotencyKeys,
} from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { RegistryError } from '../../base/error.ts';
import { asciiLowerCase, asciiUpperCase } from '../../base/text/ascii-case.ts';
import { searchKey } from '../../base/text/search-key.ts';
import type { Operation } from '../../change/origin.ts';
import {
  appendStatements,
  type Change,
  changeOf,
  checkExpected,
  write,
} from '../../change/write.ts';
import { notifyRegistrar } from '../change.ts';
import { type Contact, contactSubject, selectContacts } from '../contact.ts';
import { contactDeletion } from '../delete.ts';
import { isAboutContact, isLastDeletion } from '../entries.ts';
import { contactColumns, personalFields } from '../fields.ts';
import { hasValues, isPersonalValue, removeValues } from '../recorded-values.ts';

export type Identifiers = Pick<Contact, 'code' | 'uuid'>;

/** An erasure's extent. The history still shows who changed which field, and when. */
export interface Erasure extends Identifiers {
  /** Its personal fields with values; undefined for a deleted contact. */
  contact: string[] | undefined;
  /** Entries and fields with personal values, and the registrants who made changes, whose names stay. */
  history: { entries: number; fields: string[]; actors: string[] };
  outcomes: number;
  disclosures: number;
  /** The codes of contacts with the same identity; they are not erased. */
  others: string[];
  /** Deleted contacts with the same identity, of which the history has values. */
  deletedOthers: Identifiers[];
}

export function isErasing({ contact, history, outcomes, disclosures }: Erasure): boolean {
  return contact !== undefined || history.entries + outcomes + disclosures > 0;
}

/**
 * Removes a contact (a code or UUID), the values in its history, the person in disclosures, and kept outcomes. Throws
 * `linked` while a domain refers to it, `delete_prohibited`, `not_found`, and `invalid` for a code that several
 * contacts had.
 */
export async function eraseContact(operation: Operation, codeOrUuid: string): Promise<Erasure> {
  const { db, origin } = operation;
  const contact = await identifyContact(db, codeOrUuid);
  const isAbout = isAboutContact(sql`${contact.uuid}`);
  // Includes former persons: a correction may concern the same person.
  const remains = {
    entries: sql`${isAbout} and ${hasValues(sql`${history.changes}`)}`,
    disclosed: eq(disclosures.contactUuid, contact.uuid),
  };
  const judge = (state: Awaited<ReturnType<typeof look>>): Change<Erasure> => {
    const { contact: row, registrar, lastEntryId, ...data } = state;
    const { code, uuid } = row ?? contact;
    const outcome = { code, uuid, ...data, contact: row && personalFieldsOf(row) };
    if (row) {
      checkUnlinked(row);
      const deletion = { ...contactDeletion(operation, row), outcome };
      const erasure = appendStatements(
        deletion,
        removalOf(db, contact, remains, deletion.isWritten),
      );
      return notifyRegistrar(db, row, erasure);
    }
    checkExpected(origin.request, `${uuid} ${lastEntryId}`);
    const changes = Object.fromEntries(
      data.history.fields.map((field) => [field, { removed: true as const }]),
    );
    const change = changeOf(operation, contactSubject({ ...contact, registrar }));
    const erasure = { ...change, action: 'update', changes, outcome } as const;
    const isNothing = data.history.entries + data.outcomes + data.disclosures === 0;
    if (isNothing) return erasure;
    return {
      ...erasure,
      onlyIf: sql`not exists (select 1 from ${contacts} where ${contacts.uuid} = ${contact.uuid})`,
      statements: removalOf(db, contact, remains, change.isWritten),
    };
  };
  const attempt = { look: () => look(db, contact), judge };
  return (await write(db, origin.request, attempt, operation)).outcome;
}

/** Identifies existing and deleted contacts. Throws `not_found`, and `invalid` for a code that several contacts had. */
export async function identifyContact(db: Database, codeOrUuid: string): Promise<Identifiers> {
  const [code, uuid] = [asciiUpperCase(codeOrUuid), asciiLowerCase(codeOrUuid)];
  const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(uuid);
  const isRecorded = isUuid
    ? isAboutContact(sql`${uuid}`)
    : sql`history.subject = 'contact' and history.subject_key = ${code}`;
  // With max(id), SQLite takes the other columns from the newest entry.
  const records = await db.all<Identifiers & { place: number }>(sql`
    select code, uuid, 1 as place from ${contacts}
    where ${isUuid ? eq(contacts.uuid, uuid) : eq(contacts.code, code)}
    union all
    select code, uuid, 2 from (
      select subject_key as code, subject_uuid as uuid, max(id) from ${history}
      where ${isRecorded} group by subject_uuid)
    union all
    select contact_code, contact_uuid, 3 from ${disclosures}
    where ${isUuid ? eq(disclosures.contactUuid, uuid) : eq(disclosures.contactCode, code)}
    order by place`);
  const all = [...Map.groupBy(records, (record) => record.uuid).values()].map(([first]) => first!);
  const [identifiers, ...others] = all;
  if (!identifiers)
    throw new RegistryError('not_found', `there is no record of contact ${codeOrUuid}`);
  if (others.length === 0) return identifiers;
  const uuids = all.map(({ uuid, place }) => (place === 1 ? `${uuid} (exists)` : uuid));
  const message = `${code} has been the code of ${all.length} contacts; name one by its UUID: ${uuids.join(', ')}`;
  throw new RegistryError('invalid', message);
}

async function look(db: Database, contact: Identifiers) {
  const isAbout = isAboutContact(sql`${contact.uuid}`);
  const [[row], [values], actors, [kept], [disclosed], [newest]] = await db.batch([
    selectContacts(db).where(eq(contacts.uuid, contact.uuid)),
    db
      .select({
        entries: sql<number>`count(distinct ${history.id})`,
        fields: sql<string>`json_group_array(distinct key)`,
      })
      .from(history)
      .crossJoin(sql`json_each(${history.changes})`)
      .where(and(isAbout, isPersonalValue)),
    db
      .selectDistinct({ actor: history.actor })
      .from(history)
      .where(and(isAbout, eq(history.actorType, 'registrant'))),
    db.select({ outcomes: sql<number>`count(*)` }).from(idempotencyKeys).where(isCopyOf(contact)),
    db
      .select({ count: sql<number>`count(*)` })
      .from(disclosures)
      .where(eq(disclosures.contactUuid, contact.uuid)),
    db
      .select({ id: history.id, registrar: history.registrar })
      .from(history)
      .where(isAbout)
      .orderBy(desc(history.id))
      .limit(1),
  ]);
  const fields = new Set<string>(JSON.parse(values!.fields));
  return {
    contact: row,
    registrar: newest?.registrar ?? null,
    lastEntryId: newest?.id ?? 0,
    history: {
      entries: values!.entries,
      fields: contactColumns.map(([column]) => column).filter((column) => fields.has(column)),
      actors: actors.map(({ actor }) => actor),
    },
    outcomes: kept!.outcomes,
    disclosures: disclosed!.count,
    ...(await findContactsOfSamePerson(db, contact)),
  };
}

/** The registry has to know who holds a domain. */
function checkUnlinked({ code, domainCount }: Contact): void {
  if (domainCount === 0) return;
  throw new RegistryError(
    'linked',
    `domains refer to ${code}, and the registry must know their contacts; ` +
      `give the domains another contact first (domain list --contact shows them)`,
    'domains',
  );
}

interface Remains {
  entries: SQL;
  /** Restricts the entries' personal values; all if undefined. Judges a row of `json_each` on `changes`. */
  values?: SQL;
  disclosed: SQL;
}

export function removalOf(
  db: Database,
  contact: Identifiers,
  { entries, values, disclosed }: Remains,
  condition: SQL,
) {
  const noPerson = {
    ...{ contactUuid: null, contactCode: null },
    ...{ identCountryCode: null, identKey: null, identType: null },
  };
  const target = { isTarget: sql`${entries} and ${condition}`, isTargetValue: values };
  const upToNewest = [1, sql`(select max(id) from ${history})`] as const;
  return [
    ...removeValues(db, target, upToNewest, sql`where ${condition}`),
    db.delete(idempotencyKeys).where(and(isCopyOf(contact), condition)),
    db.update(disclosures).set(noPerson).where(and(disclosed, condition)),
  ] as const;
}

/** Matches kept outcomes with the person's data; others have only the contact's code. */
function isCopyOf({ uuid }: Identifiers): SQL {
  return sql`${idempotencyKeys.outcome} ->> '$.uuid' = ${uuid}`;
}

/** Compares codes, or birthday and name. No index has birthdays of every registrar. */
async function findContactsOfSamePerson(
  db: Database,
  { uuid }: Identifiers,
): Promise<Pick<Erasure, 'others' | 'deletedOthers'>> {
  const { isPersons, countryCode, key } = deletedIdentity;
  const deletedType = sql.raw("changes ->> '$.identType.from'");
  const deletedName = sql<string | null>`changes ->> '$.name.from'`;
  const person = sql`(
    select ident_type as person_type, ident_country_code as country, ident_key as person_key, name as person_name
    from ${contacts} where uuid = ${uuid}
    union all
    select ${deletedType}, ${countryCode}, ${key}, ${deletedName} from ${history}
    where ${isLastDeletion} and action <> 'update' and subject_uuid = ${uuid}
  ) as person`;
  const personName = sql<string | null>`person_name`.as('person_name');
  const existing = (isOfType: SQL) =>
    db
      .select({ code: contacts.code, name: contacts.name, personName })
      .from(person)
      .crossJoin(contacts)
      .where(
        sql`${isOfType} and ident_country_code = country and ident_key = person_key
          and uuid <> ${uuid}`,
      );
  const deleted = (isOfType: SQL) =>
    db
      .select({
        ...{ code: history.subjectKey, uuid: sql<string>`${history.subjectUuid}`.as('uuid') },
        ...{ name: deletedName.as('name'), personName },
      })
      .from(person)
      .crossJoin(history)
      .where(
        sql`${isOfType} and ${countryCode} = country and ${key} = person_key
          and ${isLastDeletion} and subject_uuid <> ${uuid}`,
      );
  const [coded, codedDeleted, born, bornDeleted] = await db.batch([
    existing(sql`person_type = 'priv' and ident_type = 'priv'`),
    deleted(sql`person_type = 'priv' and ${isPersons}`),
    existing(sql`person_type = 'birthday' and ident_type = 'birthday'`),
    deleted(sql`person_type = 'birthday' and ${deletedType} = 'birthday'`),
  ]);
  const allDeleted = [...codedDeleted, ...bornDeleted.filter(isNamesake)];
  return {
    others: [...coded, ...born.filter(isNamesake)].map(({ code }) => code),
    deletedOthers: allDeleted.map(({ code, uuid }) => ({ code, uuid })),
  };
}

/** A removed name matches nothing. */
function isNamesake({ name, personName }: Record<'name' | 'personName', string | null>): boolean {
  return name !== null && personName !== null && searchKey(name) === searchKey(personName);
}

function personalFieldsOf(contact: Contact): string[] {
  return personalFields.filter((column) => !isEmpty(contact[column]));
}

function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}
