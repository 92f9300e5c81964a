import { and, eq, ne, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
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
import { nameKey } from '../../base/text/search-key.ts';
import type { Operation } from '../../change/origin.ts';
import {
  appendStatements,
  type Change,
  changeOf,
  checkExpected,
  write,
} from '../../change/write.ts';
import { notifyRegistrar } from '../change.ts';
import { type Contact, contactSubject } from '../contact.ts';
import { contactDeletion } from '../delete.ts';
import { isAboutContact, isLastDeletion } from '../entries.ts';
import { personalFields } from '../fields.ts';
import { hasValues, removeValues } from '../recorded-values.ts';
import { isCodeKey, isSameIdentity, lineageOf } from '../same-person.ts';
import { type Erasure, type Identifiers, isCopyOf, isErasing, readErasure } from './erasure.ts';
import { isOfLineagesAnywhere } from './person.ts';

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
  const look = async () => ({
    ...(await readErasure(db, contact)),
    ...(await findContactsOfSamePerson(db, contact)),
  });
  const judge = (state: Awaited<ReturnType<typeof look>>): Change<Erasure> => {
    const { contact: row, problem, registrar, lastEntryId, ...data } = state;
    if (problem) throw new RegistryError([problem]);
    const { code, uuid } = row ?? contact;
    const outcome = { code, uuid, ...data, contact: row && personalFieldsOf(row) };
    if (row) {
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
    if (!isErasing(state)) return erasure;
    return {
      ...erasure,
      onlyIf: sql`not exists (select 1 from ${contacts} where ${contacts.uuid} = ${contact.uuid})`,
      statements: removalOf(db, contact, remains, change.isWritten),
    };
  };
  return (await write(db, origin.request, { look, judge }, operation)).outcome;
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

/**
 * Compares codes, or birthday and name; copies are the same person's while they have the same identity, known or not. No
 * index has birthdays of every registrar.
 */
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
  const one = alias(contacts, 'one');
  const firstIds = sql`select ${lineageOf(contacts)} from ${contacts} where uuid = ${uuid}`;
  const copies = db
    .select({ code: contacts.code })
    .from(contacts)
    .innerJoin(one, isSameIdentity(contacts, one))
    .where(and(eq(one.uuid, uuid), ne(contacts.uuid, uuid), isOfLineagesAnywhere(firstIds)));
  const [coded, codedDeleted, born, bornDeleted, copied] = await db.batch([
    existing(sql`person_type = 'priv' and ident_type = 'priv' and ${isCodeKey(sql`person_key`)}`),
    deleted(sql`person_type = 'priv' and ${isPersons} and ${isCodeKey(sql`person_key`)}`),
    existing(sql`person_type = 'birthday' and ident_type = 'birthday'`),
    deleted(sql`person_type = 'birthday' and ${deletedType} = 'birthday'`),
    copies,
  ]);
  const allDeleted = [...codedDeleted, ...bornDeleted.filter(isNamesake)];
  return {
    others: [...new Set([...coded, ...born.filter(isNamesake), ...copied].map(({ code }) => code))],
    deletedOthers: allDeleted.map(({ code, uuid }) => ({ code, uuid })),
  };
}

/** A removed name matches nothing. */
function isNamesake({ name, personName }: Record<'name' | 'personName', string | null>): boolean {
  return name !== null && personName !== null && nameKey(name) === nameKey(personName);
}

function personalFieldsOf(contact: Contact): string[] {
  return personalFields.filter((column) => !isEmpty(contact[column]));
}

function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}
