import { eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import { type ContactStatus, contacts, registrars } from '../../drizzle/schema.ts';
import { randomHex } from '../base/bytes/digest.ts';
import type { Database } from '../base/database/open.ts';
import { type Problem, RegistryError } from '../base/error.ts';
import { asciiUpperCase } from '../base/text/ascii-case.ts';
import { nameKey } from '../base/text/search-key.ts';
import type { WriteRequest } from '../change/origin.ts';
import { identityKey } from './identity-code.ts';
import { mailboxKey } from './mailbox.ts';

export type Contact = typeof contacts.$inferSelect;

export type ContactWithRegistrar = Contact & { registrar: string };

export function selectContacts(db: Database) {
  // D1 returns the rows of a batch as objects, so a second column `code` would replace the first.
  const registrar = sql<string>`${registrars.code}`.as('registrar');
  return db
    .select({ ...getTableColumns(contacts), registrar })
    .from(contacts)
    .innerJoin(registrars, eq(registrars.id, contacts.registrarId));
}

/** Returns any registrar's contact, ignoring the case of the code. Throws `not_found`. */
export async function getContactByCode(db: Database, code: string): Promise<ContactWithRegistrar> {
  const [contact] = await selectContacts(db).where(eq(contacts.code, asciiUpperCase(code)));
  if (contact) return contact;
  throw new RegistryError('not_found', `there is no contact ${JSON.stringify(code)}`, 'code');
}

/** Shown in answers but not stored. */
export const derivedStatuses = ['ok', 'linked'] as const;

export function statusesOf(contact: Pick<Contact, 'statuses' | 'domainCount'>): string[] {
  const stored: string[] = contact.statuses.length > 0 ? contact.statuses : ['ok'];
  return contact.domainCount > 0 ? [...stored, 'linked'] : stored;
}

/** Throws `status_change` for a status that the contact has not: only the operator sets one. */
export function checkOwnStatuses(contact: Contact, statuses: readonly string[] = []): void {
  const present: readonly string[] = [...contact.statuses, ...derivedStatuses];
  const other = statuses.find((status) => !present.includes(status));
  if (other === undefined) return;
  const message = 'Status update is not allowed';
  const detail = `The contact does not have the status ${other}. Only the registry sets and removes statuses.`;
  throw new RegistryError([{ reason: 'status_change', message, field: 'statuses', detail }]);
}

const prohibited = {
  Update: { reason: 'update_prohibited', message: 'Object status prohibits operation' },
  Delete: {
    reason: 'delete_prohibited',
    message: 'Contact delete prohibited by status',
    field: 'statuses',
  },
} as const;

/** Throws `update_prohibited` or `delete_prohibited`. */
export function checkProhibition(contact: Contact, operation: 'Update' | 'Delete'): void {
  const problem = findProhibition(contact, operation);
  if (problem) throw new RegistryError([problem]);
}

export function findProhibition(
  contact: Contact,
  operation: 'Update' | 'Delete',
): Problem | undefined {
  const prohibiting: string[] = prohibitingStatuses(operation);
  const status = contact.statuses.find((each) => prohibiting.includes(each));
  const detail = `The contact has the status ${status}.`;
  return status === undefined ? undefined : { ...prohibited[operation], detail };
}

/** Prohibiting and pending statuses (RFC 5733, section 2.2). */
export function prohibitingStatuses(operation: 'Update' | 'Delete'): ContactStatus[] {
  return [`client${operation}Prohibited`, `server${operation}Prohibited`, `pending${operation}`];
}

export interface ContactReference {
  code: string;
  version: string;
}

export function referenceTo(contact: Versioned & Pick<Contact, 'code'>): ContactReference {
  return { code: contact.code, version: versionOf(contact) };
}

type Versioned = Pick<Contact, 'uuid' | 'version' | 'domainCount'>;

/**
 * Returns the entity tag. It changes with everything that an interface shows of the contact, and differs from those of
 * an earlier contact with the same code.
 */
export function versionOf({ uuid, version, domainCount }: Versioned): string {
  return `${uuid.slice(0, 8)}-${version}${domainCount > 0 ? '-linked' : ''}`;
}

/**
 * Returns a growing version, at least the request's milliseconds, so that no version names two contents after a
 * restore.
 */
export function nextVersion(at: Date, previous = 0): number {
  return Math.max(previous + 1, at.getTime());
}

export function checkVersion(
  contact: Contact,
  { isExpected }: Pick<WriteRequest, 'isExpected'>,
): void {
  if (isExpected && !isExpected(versionOf(contact))) {
    throw new RegistryError('changed_meanwhile', 'Contact is not at the expected version');
  }
}

export function isUnchanged({ id, version }: Contact): SQL {
  return sql`exists (select 1 from ${contacts} where id = ${id} and version = ${version})`;
}

export function contactSubject({
  code,
  uuid,
  registrar,
}: Pick<Contact, 'code' | 'uuid'> & { registrar: string | null }) {
  return { type: 'contact', key: code, uuid, registrar } as const;
}

/** Throws `not_found` without a row. */
export function theContact<Row extends Contact>([contact]: readonly Row[]): Row {
  if (!contact) throw new RegistryError('not_found', 'Object does not exist');
  return contact;
}

export function generateAuthInfo(): string {
  return randomHex(11);
}

/**
 * Returns an `updated_at` after every earlier change of the registrar's contacts, even of deleted ones, so that clients
 * that follow the changes miss none.
 */
export function changeTime(registrarId: number | SQL, at: Date): SQL<string> {
  const time = at.toISOString();
  return sql`ifnull(max(${time}, strftime('%Y-%m-%dT%H:%M:%fZ', (
    select max(ifnull(lost_change_at, ''), ifnull((
      select max(updated_at) from ${contacts} as changed
        where changed.registrar_id = registrar.id), ''))
    from ${registrars} as registrar where registrar.id = ${registrarId}
  ), '+0.001 seconds')), ${time})`;
}

export function keysOf({ ident, name, email }: Pick<Contact, 'ident' | 'name' | 'email'>) {
  return { identKey: identityKey(ident), nameKey: nameKey(name), emailKey: mailboxKey(email) };
}
