import { and, asc, eq, gt, inArray, or, type SQL, sql } from 'drizzle-orm';
import {
  type ContactStatus,
  changesIdentity,
  contactStatuses,
  contacts,
  correctedIdent,
  deletedIdentity,
  demandDay,
  formerEmail,
  hasOpenDemand,
  history,
  isUnverified,
  registrars,
} from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import type { RowsAfter } from '../../base/database/paging.ts';
import { retry } from '../../base/database/retry.ts';
import { RegistryError, throwProblems } from '../../base/error.ts';
import { typed } from '../../base/text/typed.ts';
import { dayOf } from '../../base/time/day.ts';
import type { Changes } from '../../change/history/changes.ts';
import type { Operation } from '../../change/origin.ts';
import { type Change, write } from '../../change/write.ts';
import { notifyRegistrar, rowUpdate } from '../change.ts';
import {
  type Contact,
  type ContactWithRegistrar,
  checkProhibition,
  checkVersion,
  getContactByCode,
  selectContacts,
} from '../contact.ts';
import { contactDeletion, referringDomains } from '../delete.ts';
import { isLastDeletion, keyOfChanged } from '../entries.ts';
import type { ContactChanges, ContactIdentity } from '../fields.ts';
import { identityKey } from '../identity-code.ts';
import { identitiesIn } from '../identity-typed.ts';
import { invalidIdentity } from '../invalid.ts';
import { mailboxKey } from '../mailbox.ts';
import { storedValues } from '../update.ts';
import { mailboxSpellings } from './spellings.ts';
import { keyHasWords } from './words.ts';

export interface ContactCriteria {
  registrar?: string | undefined;
  /** An identity code of any type and country, ignoring case and separators. */
  ident?: string | undefined;
  email?: string | undefined;
  /** The name has these words, in any order. */
  name?: string | undefined;
  isUnverified?: boolean | undefined;
  /** Selects contacts with an open demand whose last day is before this day. */
  overdueOn?: string | undefined;
}

function isOverdue(day: string): SQL {
  // The registrars lead SQLite to the index.
  return sql`registrar_id in (select id from ${registrars}) and ${hasOpenDemand} and ${demandDay} < ${day}`;
}

export function countOverdue(db: Database, now: Date): Promise<number> {
  return db.$count(contacts, isOverdue(dayOf(now)));
}

export function listContactsBy(
  db: Database,
  criteria: ContactCriteria,
  page: RowsAfter<Pick<Contact, 'id' | 'number'>>,
): Promise<ContactWithRegistrar[]> {
  const { registrar, ident, email, name, isUnverified: onlyUnverified, overdueOn } = criteria;
  // Numbers follow the order of a registrar's ids, and have an index.
  const place = registrar === undefined ? 'id' : 'number';
  return selectContacts(db)
    .where(
      and(
        gt(contacts[place], page.after?.[place] ?? 0),
        registrar === undefined
          ? undefined
          : sql`${contacts.registrarId} = (select id from ${registrars} where code = ${registrar})`,
        ident === undefined ? undefined : hasTypedIdentity(ident),
        email === undefined
          ? undefined
          : eq(contacts.emailKey, mailboxKey(typed(email, 'mailbox'))),
        name === undefined ? undefined : keyHasWords(contacts.nameKey, name),
        onlyUnverified ? isUnverified : undefined,
        // A separate query, or SQLite would scan all contacts by id.
        overdueOn === undefined
          ? undefined
          : sql`${contacts.id} in (select id from ${contacts} where ${isOverdue(overdueOn)})`,
      ),
    )
    .orderBy(asc(contacts[place]))
    .limit(page.limit);
}

/** Whether the contact has the identity code that somebody typed. The index finds the keys; of `or`, it would find none. */
export function hasTypedIdentity(text: string): SQL | undefined {
  const { identKey, identCountryCode } = contacts;
  const readings = identitiesIn(text).map((one) => ({
    key: identityKey(one!.ident),
    country: one!.identCountryCode,
  }));
  const isRead = readings.map(({ key, country }) =>
    country === undefined
      ? eq(identKey, key)
      : and(eq(identKey, key), eq(identCountryCode, country)),
  );
  const keys = readings.map(({ key }) => key);
  return and(inArray(identKey, keys), or(...isRead));
}

/** Matches entries that ended the holding of a contact by the person with this identity code. */
export function endsHolder(ident: string): SQL {
  const [from, to] = [keyOfChanged('from'), keyOfChanged('to')];
  return sql`${changesIdentity} and ${from} = ${identityKey(ident)} and ${to} is not ${from}`;
}

export type ContactDeletion = Awaited<ReturnType<typeof listDeletedContactsBy>>[number];

/** It has an `ident`, an `email` or both. */
type DeletedCriteria = Pick<ContactCriteria, 'registrar' | 'ident' | 'email'>;

/**
 * Lists contacts that belonged to the person with this code until they were deleted or corrected, or that had the address
 * until they were deleted or it was changed, in the order of these times.
 */
export function listDeletedContactsBy(
  db: Database,
  { registrar, ...had }: DeletedCriteria,
  page: RowsAfter<{ id: number }>,
) {
  return selectFormer(db)
    .where(
      and(
        gt(history.id, page.after?.id ?? 0),
        sql`${history.id} in (${sql.join(endsOf(had), unionAll)})`,
        registrar === undefined ? undefined : eq(history.registrar, registrar),
      ),
    )
    .orderBy(asc(history.id))
    .limit(page.limit);
}

/**
 * Finds so many of them, in no order and with a bounded number of rows read. An identity that was corrected is found
 * if its code differs only by blanks and hyphens.
 */
export function findDeletedContactsBy(db: Database, had: DeletedCriteria, limit: number) {
  const isCorrected = (ident: string) => sql`indexed by history_of_corrected_idents
    where ${correctedIdent(sql.raw("changes ->> '$.ident.from'"))} = ${correctedIdent(sql`${ident}`)}`;
  const some = endsOf(had, isCorrected).map((ends) => sql`select * from (${ends} limit ${limit})`);
  return selectFormer(db).where(sql`${history.id} in (${sql.join(some, unionAll)})`);
}

export function findDeletedContacts(db: Database, uuids: readonly string[]) {
  const deletions = sql`select id from ${history} indexed by history_of_contact
    where subject_uuid in (select value from json_each(${JSON.stringify(uuids)}))
      and ${isLastDeletion} and action <> 'update'`;
  return selectFormer(db).where(sql`${history.id} in (${deletions})`);
}

function selectFormer(db: Database) {
  return db
    .select({
      id: history.id,
      code: history.subjectKey,
      uuid: sql<string>`${history.subjectUuid}`,
      name: sql<string | null>`changes ->> '$.name.from'`,
      registrar: history.registrar,
      deletedAt: history.occurredAt,
      ended: sql<string>`case when action = 'delete' then 'deleted'
        when ${changesIdentity} then 'corrected' else 'changed' end`,
    })
    .from(history);
}

const unionAll = sql` union all `;

/** Few identities are corrected: all of them are read. */
const isAnyCorrected = (_ident: string) => sql`indexed by history_of_identity where true`;

function endsOf({ ident, email }: DeletedCriteria, isCorrected = isAnyCorrected): SQL[] {
  const withEmail = sql`select id from ${history} indexed by history_of_emails
    where ${formerEmail.isRecorded} and ${inArray(formerEmail.upper, mailboxSpellings(typed(email ?? '', 'mailbox')))}
      and (action = 'update' or ${isLastDeletion})`;
  if (ident === undefined) return [withEmail];
  const withIdent = identitiesIn(ident).flatMap((one) => {
    const { ident, identCountryCode: country } = one!;
    const isOf = (code: SQL) =>
      country === undefined ? sql`true` : sql`ifnull(${code}, ${country}) = ${country}`;
    return [
      sql`select id from ${history} indexed by history_of_deleted_idents
        where ${isLastDeletion} and ${deletedIdentity.key} = ${identityKey(ident)}
          and ${isOf(deletedIdentity.countryCode)}`,
      sql`select id from ${history} ${isCorrected(ident)} and ${endsHolder(ident)}
        and ${isOf(sql.raw("(changes ->> '$.identCountryCode.from')"))}`,
    ];
  });
  if (email === undefined) return withIdent;
  return withIdent.map((ends) => sql`${withEmail} and id in (${ends})`);
}

/**
 * Follows the rules of the registrar interface, but checks a changed identity like a new one. Throws the problems of
 * the identity; `update_prohibited`, `not_found`.
 */
export function updateAnyContact(
  operation: Operation,
  code: string,
  changes: ContactChanges & Partial<ContactIdentity>,
): Promise<Changes> {
  const { request } = operation.origin;
  return change(operation, code, (contact) => {
    checkVersion(contact, request);
    const { ident, identType, identCountryCode } = changes;
    if (ident ?? identType ?? identCountryCode) {
      throwProblems(invalidIdentity(contact, changes, request.at));
    }
    checkProhibition(contact, 'Update');
    return rowUpdate(operation, contact, storedValues(contact, changes));
  });
}

/** Follows the rules of the registrar interface. Throws `linked`, `delete_prohibited`, `not_found`. */
export async function deleteAnyContact(operation: Operation, code: string): Promise<Changes> {
  const [linked] = await retry(() => referringDomains(operation.db, code));
  return change(operation, code, (contact) => contactDeletion(operation, contact, linked));
}

interface StatusChange {
  add: readonly ContactStatus[];
  remove: readonly string[];
  note?: string | undefined;
}

/**
 * Ignores prohibitions. Throws `not_found`; `invalid` for a status to remove that neither exists nor is on the contact.
 */
export function changeContactStatuses(
  operation: Operation,
  code: string,
  { add, remove, note }: StatusChange,
): Promise<Changes> {
  return change(operation, code, (contact) => {
    const statusNames: string[] = [...contactStatuses, ...contact.statuses];
    const unknown = remove.find((status) => !statusNames.includes(status));
    if (unknown !== undefined) {
      throw new RegistryError('invalid', `${JSON.stringify(unknown)} is not a status`, 'remove');
    }
    const remaining = contact.statuses.filter((status) => !remove.includes(status));
    const statuses = [...new Set([...remaining, ...add])].sort();
    const notes = Object.entries(contact.statusNotes).filter(
      ([status]) => !remove.includes(status),
    );
    const added = note === undefined ? [] : add.map((status) => [status, note] as const);
    const values = { statuses, statusNotes: Object.fromEntries([...notes, ...added]) };
    const sorted = { ...contact, statuses: [...contact.statuses].sort() };
    return rowUpdate(operation, sorted, values);
  });
}

/** Also notifies the contact's registrar. Returns the changed fields. */
async function change(
  operation: Operation,
  code: string,
  judgeContact: (contact: ContactWithRegistrar) => Change<unknown>,
): Promise<Changes> {
  const { db, origin } = operation;
  const look = () => getContactByCode(db, code);
  const judge = (contact: ContactWithRegistrar) => {
    const contactChange = judgeContact(contact);
    const reported = { ...contactChange, outcome: contactChange.changes };
    return notifyRegistrar(db, contact, reported);
  };
  return (await write(db, origin.request, { look, judge }, operation)).outcome;
}

/** Deletes the contacts of a query whose column `row` has each as JSON with its `uuid`. */
export function deleteContacts(db: Database, rows: SQL) {
  return db.delete(contacts).where(sql`${contacts.uuid} in (select row ->> 'uuid' from (${rows}))`);
}
