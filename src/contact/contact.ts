import { and, eq, type SQL } from 'drizzle-orm';
import { type ContactStatus, contacts } from '../../drizzle/schema.ts';
import { randomHex } from '../digest.ts';
import { RegistryError } from '../error.ts';
import type { ApiUser } from '../registrar/login.ts';
import type { Writer } from '../write.ts';

export type Contact = typeof contacts.$inferSelect;

/** A page of a listing. */
export interface Page {
  /** 1 to 200. */
  limit: number;
  offset: number;
}

/** In the words of RFC 5733: the stored statuses, or `ok`; and `linked` where a domain refers to the contact. */
export function statusesOf(contact: Pick<Contact, 'statuses' | 'domainCount'>): string[] {
  const stored: string[] = contact.statuses.length > 0 ? contact.statuses : ['ok'];
  return contact.domainCount > 0 ? [...stored, 'linked'] : stored;
}

/** RFC 5733, section 2.2: whether a prohibiting or pending status of the contact names the operation. */
export function prohibits(contact: Contact, operation: 'Update' | 'Delete'): boolean {
  const prohibiting = prohibitingStatuses(operation);
  return contact.statuses.some((status) => prohibiting.includes(status));
}

export function prohibitingStatuses(operation: 'Update' | 'Delete'): ContactStatus[] {
  return [`client${operation}Prohibited`, `server${operation}Prohibited`, `pending${operation}`];
}

/** What a write says of the contact that it created or changed. */
export interface ContactReference {
  code: string;
  /** As `versionOf`. */
  version: string;
}

export function referenceTo(contact: Versioned & Pick<Contact, 'code'>): ContactReference {
  return { code: contact.code, version: versionOf(contact) };
}

type Versioned = Pick<Contact, 'uuid' | 'version' | 'domainCount'>;

/**
 * Differs whenever anything differs that an interface shows of the contact, also from an earlier contact with the same
 * code: what the contact's entity tag holds.
 */
export function versionOf({ uuid, version, domainCount }: Versioned): string {
  return `${uuid.slice(0, 8)}-${version}${domainCount > 0 ? '-linked' : ''}`;
}

/** The guard of a write: the contact is still as it was read. */
export function isUnchanged(contact: Contact): SQL | undefined {
  return and(eq(contacts.id, contact.id), eq(contacts.version, contact.version));
}

/** How history names a contact. */
export function subjectOf({ code, uuid }: Pick<Contact, 'code' | 'uuid'>) {
  return { type: 'contact', key: code, uuid } as const;
}

/** An API user as a writer; the idempotency keys are those of the registrar. */
export function apiUserWriter({ id, username, registrarId }: ApiUser): Writer {
  return {
    actorType: 'api_user',
    actor: `${id}-ApiUser: ${username}`,
    keyHolder: `registrar:${registrarId}`,
  };
}

/** The one row that there is; throws `not_found`. */
export function theContact([contact]: readonly Contact[]): Contact {
  if (!contact) throw new RegistryError('not_found', 'Object does not exist');
  return contact;
}

/** 22 random hexadecimal digits. */
export function generateAuthInfo(): string {
  return randomHex(11);
}
