import { sql } from 'drizzle-orm';
import { contacts } from '../../drizzle/schema.ts';
import type { Database } from '../database/open.ts';
import { retried } from '../database/retry.ts';
import { RegistryError } from '../error.ts';
import { difference, isRecorded, type Origin, type Request, recordIfChanged } from '../history.ts';
import { keepAnswer, keptAnswer, type Once, stopIfDone } from '../idempotency.ts';
import type { Person } from '../registrant/token.ts';
import type { Login } from '../registrar/login.ts';
import { type Identity, isSameCode } from './identity.ts';
import { type Contact, contactOfPerson, found } from './read.ts';
import {
  type Attempts,
  checkExpected,
  generateAuthInfo,
  isUnchanged,
  keyHolder,
  lookBeforeWrite,
  originOf,
  prohibits,
  subjectOf,
  untilWrittenOnce,
  written,
} from './write.ts';

/** What an update may change; a field that is undefined stays. */
export type ContactChanges = Partial<
  Pick<
    Contact,
    | 'name'
    | 'orgName'
    | 'email'
    | 'phone'
    | 'fax'
    | 'street'
    | 'city'
    | 'zip'
    | 'state'
    | 'countryCode'
    | 'disclosedAttributes'
  >
> & {
  /** Null stands for a new random one. */
  authInfo?: string | null | undefined;
};

/**
 * Updates the registrar's contact with this code, and returns it. Two round trips. An identity is only compared:
 * throws `identity_change` where it is not the one on record, `update_prohibited`, `not_found`, `changed_meanwhile`.
 */
export function updateContact(
  db: Database,
  login: Login,
  code: string,
  { identity, ...changes }: ContactChanges & { identity?: Partial<Identity> | undefined },
  request: Request,
  once?: Once<Contact>,
): Promise<Contact> {
  return untilWrittenOnce(async (attempts) => {
    const [caller, rows] = await lookBeforeWrite(db, login, code, once);
    const contact = found(rows);
    if (await isWritten(db, contact, request, attempts)) return contact;
    if (identity && !isOnRecord(contact, identity)) {
      throw new RegistryError(
        'identity_change',
        'Ident update is not allowed. Consider creating new contact object',
      );
    }
    const by = { origin: originOf(caller, request), holder: keyHolder(caller.registrarId) };
    return writeChanges(db, contact, changes, request, by, attempts, once);
  });
}

function isOnRecord(contact: Contact, { code, type, countryCode }: Partial<Identity>): boolean {
  return (
    isSameCode(code ?? contact.ident, contact.ident) &&
    (type ?? contact.identType) === contact.identType &&
    (countryCode ?? contact.identCountryCode) === contact.identCountryCode
  );
}

/** Updates the person's contact with this UUID, and returns it. Two round trips. Throws as `updateContact`. */
export function updateContactOfPerson(
  db: Database,
  person: Person,
  uuid: string,
  changes: ContactChanges,
  request: Request,
  once?: Once<Contact>,
): Promise<Contact> {
  const actor = `RegistrantUser: ${person.firstName} ${person.lastName}`;
  const holder = `registrant:${person.countryCode}:${person.code}`;
  return untilWrittenOnce(async (attempts) => {
    const [kept, rows] = await retried(() =>
      db.batch([keptAnswer(db, holder, once), contactOfPerson(db, person, uuid)]),
    );
    stopIfDone(kept, once);
    const contact = found(rows);
    if (await isWritten(db, contact, request, attempts)) return contact;
    const by = { origin: { ...request, actorType: 'registrant', actor } as const, holder };
    return writeChanges(db, contact, changes, request, by, attempts, once);
  });
}

/** Whether an earlier attempt has written it, although it was reported as failed. */
async function isWritten(
  db: Database,
  contact: Contact,
  { requestId }: Request,
  { isInDoubt }: Attempts,
): Promise<boolean> {
  return isInDoubt && requestId !== undefined && isRecorded(db, subjectOf(contact), requestId);
}

/** Writes what differs, with its history; undefined if somebody else wrote to the contact first. */
async function writeChanges(
  db: Database,
  contact: Contact,
  { authInfo, ...changes }: ContactChanges,
  request: Request,
  { origin, holder }: { origin: Origin; holder: string },
  attempts: Attempts,
  once: Once<Contact> | undefined,
): Promise<Contact | undefined> {
  checkExpected(contact, request);
  if (prohibits(contact, 'Update')) {
    throw new RegistryError('update_prohibited', 'Object status prohibits operation');
  }
  const values = { ...changes, authInfo: authInfo === null ? generateAuthInfo() : authInfo };
  const recorded = difference(contact, values);
  if (Object.keys(recorded).length === 0) {
    if (once) await db.batch([keepAnswer(db, holder, once, contact, origin.at, sql`true`)]);
    return contact;
  }
  const row = {
    ...values,
    updater: origin.actor,
    updatedAt: origin.at.toISOString(),
    version: contact.version + 1,
  };
  const result: Contact = { ...contact, ...definedOf(row) };
  const update = db.batch([
    db.update(contacts).set(row).where(isUnchanged(contact)),
    recordIfChanged(db, origin, subjectOf(contact), 'update', recorded),
    ...(once ? [keepAnswer(db, holder, once, result, origin.at)] : []),
  ]);
  const [updated] = await written(attempts, update);
  return updated.meta.changes > 0 ? result : undefined;
}

function definedOf<Values extends object>(values: Values) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
