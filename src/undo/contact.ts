import { and, asc, eq, type SQL, sql } from 'drizzle-orm';
import { contacts, history } from '../../drizzle/schema.ts';
import { isIn, jsonArrays, rowsIn } from '../base/database/json-rows.ts';
import type { Database } from '../base/database/open.ts';
import { changesRepresentation } from '../change/history/changes.ts';
import type { Operation, WriteRequest } from '../change/origin.ts';
import { changedMeanwhile } from '../change/write.ts';
import { type ChangesOfMany, changesOfRows } from '../change/write-many.ts';
import { notifyRegistrar, rowUpdate } from '../contact/change.ts';
import {
  type Contact,
  contactSubject,
  generateAuthInfo,
  keysOf,
  selectContacts,
} from '../contact/contact.ts';
import { insertContacts } from '../contact/create.ts';
import { changesOfDeletion } from '../contact/delete.ts';
import { deleteContacts } from '../contact/operator/administer.ts';
import { getRegistrar } from '../party/registrar/account.ts';
import {
  insertNotifications,
  type NewNotification,
  withNotifications,
} from '../party/registrar/notification.ts';
import { type Reversal, valuesAfter } from './reversal.ts';

/** Notifies the contact's registrar. `mixedProblems` refuses others beside it. */
export async function contactUpdates(
  operation: Operation,
  [reversal]: readonly Reversal[],
): Promise<ChangesOfMany[]> {
  const { db } = operation;
  const { uuid, changes } = reversal!;
  const [contact] = await selectContacts(db).where(eq(contacts.uuid, uuid!));
  if (!contact) throw changedMeanwhile();
  const update = rowUpdate(operation, contact, valuesAfter(changes));
  const { statements } = notifyRegistrar(db, contact, update);
  if (!statements) return [];
  const rows = rowsIn(JSON.stringify([{ ...contactSubject(contact), changes: update.changes }]));
  return [changesOfRows('contact', 'update', rows, statements)];
}

/** Notifies the contacts' registrars. */
export async function contactDeletions(
  { db, origin: { request } }: Operation,
  reversals: readonly Reversal[],
): Promise<ChangesOfMany[]> {
  const lookups = jsonArrays(reversals.map(({ uuid }) => uuid)).map((uuids) =>
    selectContacts(db).where(isIn(contacts.uuid, uuids)).orderBy(contacts.code),
  );
  const all = (await Promise.all(lookups)).flat();
  const notices = all.map(
    ({ registrarId, code }): NewNotification => ({
      ...noticeOf(code, request),
      registrarId,
      event: 'contact.deleted',
      text: `Contact ${code} has been deleted by registry`,
      fields: [],
    }),
  );
  const going = all.map((contact) => ({
    ...contactSubject(contact),
    changes: changesOfDeletion(contact),
  }));
  const deleted = jsonArrays(going)
    .map(rowsIn)
    .map((rows) => changesOfRows('contact', 'delete', rows, [deleteContacts(db, rows)]));
  return withNotifications(db, deleted, notices);
}

const noticeOf = (subjectKey: string, { at }: WriteRequest) =>
  ({ cause: null, subjectKey, createdAt: at.toISOString() }) as const;

/**
 * A restored contact keeps its code, UUID, registrar and time of creation. Its record id and auth_info are new. Notifies
 * its registrar, which was told of the deletion. `mixedProblems` refuses others beside it.
 */
export async function contactReturns(
  { db, origin: { actor, request } }: Operation,
  [reversal]: readonly Reversal[],
): Promise<ChangesOfMany[]> {
  const { key: code, uuid, registrar, changes } = reversal!;
  // The plan refuses if the deletion's entry lacks a required field.
  const content = valuesAfter(changes) as Contact;
  const creation = await findCreation(db, code, uuid!);
  // An import may bring its own time and creator.
  const given: Partial<Contact> = valuesAfter(creation?.changes ?? {});
  const isCreatorGiven = creation !== undefined && 'creator' in creation.changes;
  const row = {
    ...content,
    ...keysOf(content),
    authInfo: generateAuthInfo(),
    uuid,
    code,
    registrar,
    // None if removed from the history.
    creator: isCreatorGiven ? given.creator : (creation?.actor ?? actor.name),
    updater: actor.name,
    createdAt: given.createdAt ?? creation?.occurredAt ?? request.at.toISOString(),
    changes,
  };
  const notice: NewNotification = {
    ...noticeOf(code, request),
    registrarId: (await getRegistrar(db, registrar!)).id,
    event: 'contact.updated',
    text: `Contact ${code} has been restored by registry`,
    fields: Object.keys(changesRepresentation(changes)),
  };
  const rows = rowsIn(JSON.stringify([row]));
  const statements = [insertContacts(db, rows, request.at), ...insertNotifications(db, [notice])];
  return [changesOfRows('contact', 'create', rows, statements)];
}

/** Undefined if an earlier build archived the entry. */
async function findCreation(db: Database, code: string, uuid: string) {
  const [creation] = await db
    .select()
    .from(history)
    .where(
      and(
        eq(history.subject, 'contact'),
        eq(history.subjectKey, code),
        eq(history.subjectUuid, uuid),
        eq(history.action, 'create'),
      ),
    )
    .orderBy(asc(history.id))
    .limit(1);
  return creation;
}

/**
 * The condition that the deletion's entry is unchanged, and that the contact has not been restored under another code since the plan.
 */
export function canReturn({ uuid, entry }: Reversal, seen: number): SQL {
  return sql`exists (
      select 1 from ${history}
        where id = ${entry.id} and changes = ${JSON.stringify(entry.changes)})
    and not exists (select 1 from ${history} where id > ${seen} and subject_uuid = ${uuid})`;
}
