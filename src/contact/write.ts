import { and, eq, type SQL, sql } from 'drizzle-orm';
import { type ContactStatus, contacts } from '../../drizzle/schema.ts';
import type { Database } from '../database/open.ts';
import { untilWritten } from '../database/retry.ts';
import { randomHex } from '../digest.ts';
import { RegistryError } from '../error.ts';
import type { Origin, Request } from '../history.ts';
import { isKeyTaken, keptAnswer, type Once, stopIfDone } from '../idempotency.ts';
import { type ApiUser, type Login, withLogin } from '../registrar/login.ts';
import { type Contact, contactByCode, versionOf } from './read.ts';

/**
 * The caller, and the registrar's contact with this code if there is one, in one round trip. Throws as `withLogin`
 * and `stopIfDone` do.
 */
export async function lookBeforeWrite(
  db: Database,
  login: Login,
  code: string,
  once: Once<never> | undefined,
): Promise<[ApiUser, Contact[]]> {
  const [caller, kept, rows] = await withLogin(db, login, (registrarId) => [
    keptAnswer(db, keyHolder(registrarId), once),
    contactByCode(db, registrarId, code),
  ]);
  stopIfDone(kept, once);
  return [caller, rows];
}

/** Throws `changed_meanwhile` where the request is about another version of the contact. */
export function checkExpected(contact: Contact, { isExpected }: Request): void {
  if (isExpected && !isExpected(versionOf(contact))) {
    throw new RegistryError('changed_meanwhile', 'Contact is not at the expected version');
  }
}

/** The guard of a write: the contact is still as it was read. */
export function isUnchanged(contact: Contact): SQL | undefined {
  return and(eq(contacts.id, contact.id), eq(contacts.version, contact.version));
}

/** What the attempts of a request know of those before. */
export interface Attempts {
  /** One has failed in its write, which may have been done nevertheless. */
  isInDoubt: boolean;
}

/** As `untilWritten`; a write whose idempotency key was taken meanwhile looks again, and finds the kept answer. */
export function untilWrittenOnce<Result>(
  attempt: (attempts: Attempts) => Promise<Result | undefined>,
): Promise<Result> {
  const attempts = { isInDoubt: false };
  return untilWritten(() =>
    attempt(attempts).catch((error) => {
      if (isKeyTaken(error)) return undefined;
      throw error;
    }),
  );
}

/** The result of a write; from its failure on, the attempts are in doubt. */
export async function written<Result>(attempts: Attempts, write: Promise<Result>): Promise<Result> {
  try {
    return await write;
  } catch (error) {
    attempts.isInDoubt = true;
    throw error;
  }
}

/** RFC 5733, section 2.2: what each prohibiting or pending status names. */
export function prohibits(contact: Contact, operation: 'Update' | 'Delete'): boolean {
  const prohibiting: ContactStatus[] = [
    `client${operation}Prohibited`,
    `server${operation}Prohibited`,
    `pending${operation}`,
  ];
  return contact.statuses.some((status) => prohibiting.includes(status));
}

/** How history names an API user. */
export function originOf(caller: ApiUser, request: Request): Origin {
  return { ...request, actorType: 'api_user', actor: `${caller.id}-ApiUser: ${caller.username}` };
}

/** Whose idempotency keys they are: a registrar's. */
export function keyHolder(registrarId: number): string;
export function keyHolder(registrarId: SQL<number>): SQL;
export function keyHolder(registrarId: number | SQL<number>) {
  return typeof registrarId === 'number'
    ? `registrar:${registrarId}`
    : sql`'registrar:' || ${registrarId}`;
}

/** How history names a contact. */
export function subjectOf(contact: Contact) {
  return { type: 'contact', key: contact.code, uuid: contact.uuid } as const;
}

/** 22 random hexadecimal digits. */
export function generateAuthInfo(): string {
  return randomHex(11);
}
