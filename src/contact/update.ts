import { contacts } from '../../drizzle/schema.ts';
import type { Database } from '../database/open.ts';
import { RegistryError } from '../error.ts';
import { difference } from '../history/changes.ts';
import type { Person } from '../registrant/token.ts';
import type { Login } from '../registrar/login.ts';
import { type Change, type Origin, type WriteRequest, type Written, write } from '../write.ts';
import {
  apiUserActor,
  type Contact,
  type ContactReference,
  checkStatuses,
  checkVersion,
  generateAuthInfo,
  isUnchanged,
  referenceTo,
  subjectOf,
  theContact,
} from './contact.ts';
import type { ContactChanges, ContactIdentity } from './fields.ts';
import { identityKey, isSameIdentityCode } from './identity-code.ts';
import { notifyingRegistrar } from './notify.ts';
import { contactOfPerson, lookAtContact } from './read.ts';

/**
 * Updates the registrar's contact with this code. Two round trips. Throws `identity_change` if a given identity is not the
 * one on record; `update_prohibited`, `not_found`, `changed_meanwhile`.
 */
export function updateContact(
  db: Database,
  login: Login,
  code: string,
  given: ContactChanges & Partial<ContactIdentity>,
  request: WriteRequest,
): Promise<Written<ContactReference>> {
  const { ident, identType, identCountryCode, ...changes } = given;
  return write(db, request, {
    look: (keptFor) => lookAtContact(db, login, code, keptFor),
    judge({ caller, rows }) {
      const contact = theContact(rows);
      if (!isOnRecord(contact, { ident, identType, identCountryCode })) {
        throw new RegistryError(
          'identity_change',
          'Ident update is not allowed. Consider creating new contact object',
        );
      }
      const change = contactUpdate(db, contact, changes, { actor: apiUserActor(caller), request });
      return { ...change, outcome: referenceTo(change.outcome) };
    },
  });
}

/** Updates the person's contact with this UUID. Two round trips. Throws what `updateContact` throws. */
export function updateContactOfPerson(
  db: Database,
  person: Person,
  uuid: string,
  changes: ContactChanges,
  request: WriteRequest,
): Promise<Written<Contact>> {
  const by = registrantActor(person);
  return write(db, request, {
    async look(keptFor) {
      const [kept, rows] = await db.batch([
        keptFor(by.keyHolder),
        contactOfPerson(db, person, uuid),
      ]);
      return { kept, rows };
    },
    judge({ rows }) {
      const contact = theContact(rows);
      const change = contactUpdate(db, contact, changes, { actor: by, request });
      return notifyingRegistrar(db, contact, change, request.at);
    },
  });
}

/** The change that updates a contact, whoever may update it. Its outcome is the updated contact. */
export function contactUpdate(
  db: Database,
  contact: Contact,
  { authInfo, ...changes }: ContactChanges,
  { actor, request }: Origin,
): Change<Contact> {
  checkVersion(contact, request);
  checkStatuses(contact, 'Update', {
    reason: 'update_prohibited',
    message: 'Object status prohibits operation',
  });
  const values = { ...changes, authInfo: authInfo === null ? generateAuthInfo() : authInfo };
  const differing = difference(contact, values);
  const subject = subjectOf(contact);
  const update = { by: actor, subject, action: 'update', changes: differing } as const;
  if (Object.keys(differing).length === 0) return { ...update, outcome: contact };
  const row = {
    ...values,
    updater: actor.name,
    updatedAt: request.at.toISOString(),
    version: contact.version + 1,
  };
  return {
    ...update,
    statement: db.update(contacts).set(row).where(isUnchanged(contact)),
    outcome: { ...contact, ...definedOf(row) },
  };
}

function registrantActor({ firstName, lastName, countryCode, code }: Person) {
  return {
    type: 'registrant',
    name: `RegistrantUser: ${firstName} ${lastName}`,
    keyHolder: `registrant:${countryCode}:${identityKey(code)}`,
  } as const;
}

function isOnRecord(contact: Contact, identity: Partial<ContactIdentity>): boolean {
  return (
    isSameIdentityCode(identity.ident ?? contact.ident, contact.ident) &&
    (identity.identType ?? contact.identType) === contact.identType &&
    (identity.identCountryCode ?? contact.identCountryCode) === contact.identCountryCode
  );
}

function definedOf<Values extends object>(values: Values) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
