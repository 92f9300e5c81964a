import { eq, sql } from 'drizzle-orm';
import { contacts } from '../../../drizzle/schema.ts';
import { rowsIn } from '../../base/database/json-rows.ts';
import { RegistryError } from '../../base/error.ts';
import { difference } from '../../change/history/changes.ts';
import type { Operation } from '../../change/origin.ts';
import { changeEach, changesOfRows } from '../../change/write-many.ts';
import { getRegistrar } from '../../party/registrar/account.ts';
import { insertNotifications, type NewNotification } from '../../party/registrar/notification.ts';
import {
  type ContactWithRegistrar,
  generateAuthInfo,
  getContactByCode,
  isUnchanged,
  nextVersion,
  versionOf,
} from '../contact.ts';
import { checksForOthers, firstId } from '../copy.ts';
import { insertContacts } from '../create.ts';
import { openDemand } from '../verifications.ts';
import { demandNotice } from './verification-rules.ts';

/**
 * Gives a contact to another registrar and returns its previous state. Its code, UUID and open demand stay; its record
 * id, number and auth_info change. Notifies both registrars. Throws `not_found`, `linked`, and `changed_meanwhile` for
 * another version than `expectedVersion`.
 */
export async function transferContact(
  operation: Operation,
  code: string,
  registrar: string,
  expectedVersion?: string,
): Promise<ContactWithRegistrar> {
  const { db, origin, isDryRun } = operation;
  const contact = await getContactByCode(db, code);
  const { id: to } = await getRegistrar(db, registrar);
  if (contact.registrarId === to) return contact;
  if (contact.domainCount > 0) {
    const message = `a domain refers to ${contact.code}; domain transfer gives the other registrar a copy`;
    throw new RegistryError('linked', message, 'domains');
  }
  if (isDryRun) return contact;

  const { row, notices } = handover(operation, contact, { id: to, code: registrar });
  const at = origin.request.at;
  const rows = rowsIn(JSON.stringify([row]));
  const statements = [
    // A row never changes its registrar (migrations/0001_triggers.sql). A foreign key keeps one that a domain refers to.
    db.delete(contacts).where(eq(contacts.id, contact.id)),
    insertContacts(db, rows, at),
    ...insertNotifications(db, notices),
  ];
  await changeEach(
    operation,
    { transferred: [changesOfRows('contact', 'update', rows, statements)] },
    sql`${isUnchanged(contact)} and ${Number((expectedVersion ?? versionOf(contact)) === versionOf(contact))}`,
  );
  return contact;
}

/** The row of a contact at another registrar, for `insertContacts`, and what both registrars are told. */
export function handover(
  { origin }: Operation,
  contact: ContactWithRegistrar,
  { id: to, code: registrar }: { id: number; code: string },
  position = 0,
) {
  const { at } = origin.request;
  // The former registrar made the request to the identity service.
  const newValues = {
    registrar,
    authInfo: generateAuthInfo(),
    identityRequest: null,
    ...checksForOthers(contact),
  };
  // The insertion fills in the omitted columns.
  const { id: _, number: __, registrarId: from, updatedAt: ___, ...kept } = contact;
  const row = {
    ...kept,
    ...newValues,
    copiedFrom: firstId(contact),
    version: nextVersion(at, contact.version),
    updater: origin.actor.name,
    position,
    changes: difference(contact, newValues),
  };
  const notice = {
    text: `Contact ${contact.code} has been transferred from ${contact.registrar} to ${registrar} by registry`,
    cause: 'transfer' as const,
    subjectKey: contact.code,
    createdAt: at.toISOString(),
  };
  const loss = { ...notice, registrarId: from, event: 'contact.deleted' } as const;
  const gain = { ...notice, registrarId: to, event: 'contact.updated' } as const;
  const demand = openDemand(contact);
  const notices: NewNotification[] = [
    { ...loss, fields: [] },
    { ...gain, fields: ['registrar_id', 'auth_info'] },
    ...(demand
      ? [{ ...gain, cause: null, fields: [], ...demandNotice(contact.code, 0, demand) }]
      : []),
  ];
  return { row, notices };
}
