import { and, eq, type SQL, sql } from 'drizzle-orm';
import { contacts } from '../../drizzle/schema.ts';
import type { Database } from '../base/database/open.ts';
import { RegistryError } from '../base/error.ts';
import { type Changes, difference } from '../change/history/changes.ts';
import type { Change, Origin, WriteRequest, Written } from '../change/write.ts';
import type { Login } from '../party/registrar/login.ts';
import { writeContact } from './change.ts';
import {
  type Contact,
  type ContactWithRegistrar,
  checkStatuses,
  checkVersion,
  contactSubject,
  isUnchanged,
} from './contact.ts';
import { contactColumns } from './fields.ts';

/**
 * Two round trips. Throws `linked` if a domain refers to the contact, even one that was linked a moment ago;
 * `delete_prohibited`, `not_found`, `changed_meanwhile`.
 */
export function deleteContact(
  db: Database,
  login: Login,
  code: string,
  request: WriteRequest,
): Promise<Written<null>> {
  return writeContact(db, login, code, request, (contact, origin) =>
    contactDeletion(db, contact, origin),
  );
}

export function contactDeletion(
  db: Database,
  contact: ContactWithRegistrar,
  { actor, request }: Origin,
): Change<null> {
  checkVersion(contact, request);
  if (contact.domainCount > 0) {
    throw new RegistryError('linked', 'Object association prohibits operation', 'domains');
  }
  checkStatuses(contact, 'Delete');
  return {
    by: actor,
    subject: contactSubject(contact),
    action: 'delete',
    changes: changesOfDeletion(contact),
    onlyIf: isUnchanged(contact),
    statements: (isWritten) => [
      db.delete(contacts).where(and(eq(contacts.id, contact.id), isWritten)),
    ],
    outcome: null,
  };
}

export function changesOfDeletion(contact: Contact): Changes {
  return {
    ...difference(contact, lost),
    ident: { from: contact.ident, to: null, key: contact.identKey },
  };
}

/** Takes a query that has each contact as JSON, with its `uuid`, in its column `row`. */
export function deleteContacts(db: Database, rows: SQL) {
  return db.delete(contacts).where(sql`${contacts.uuid} in (select row ->> 'uuid' from (${rows}))`);
}

const lost = Object.fromEntries(
  contactColumns
    .filter(([, { isContent }]) => isContent)
    .map(([column]) => [column, contacts[column].default ?? null]),
);
