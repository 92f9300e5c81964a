import type { Database } from '../base/database/open.ts';
import { RegistryError } from '../base/error.ts';
import type { WriteRequest } from '../change/origin.ts';
import { type Written, write } from '../change/write.ts';
import type { Person } from '../party/registrant/token.ts';
import type { RegistrarCall } from '../party/registrar/login.ts';
import { notifyRegistrar, rowUpdate, writeContact } from './change.ts';
import {
  type Contact,
  type ContactReference,
  checkStatuses,
  checkVersion,
  generateAuthInfo,
  referenceTo,
  selectContacts,
  theContact,
} from './contact.ts';
import type { ContactChanges, ContactIdentity } from './fields.ts';
import { identityKey, isSameIdentityCode } from './identity-code.ts';
import { mailboxKey } from './mailbox.ts';
import { isContactOfPerson } from './read.ts';

type ChangesOf = (contact: Contact) => ContactChanges & Partial<ContactIdentity>;

/**
 * Two round trips. Throws what `changesOf` throws, `identity_change` for an identity other than the stored one,
 * `update_prohibited`, `not_found`, `changed_meanwhile`.
 */
export function updateContact(
  call: RegistrarCall,
  code: string,
  changesOf: ChangesOf,
): Promise<Written<ContactReference>> {
  const withoutIdentity = (contact: Contact) => {
    const { ident, identType, identCountryCode, ...changes } = changesOf(contact);
    if (isOnRecord(contact, { ident, identType, identCountryCode })) return changes;
    throw new RegistryError(
      'identity_change',
      'Ident update is not allowed. Consider creating new contact object',
    );
  };
  return writeContact(call, code, (operation, contact) => {
    const values = permittedValues(contact, call.request, withoutIdentity);
    const change = rowUpdate(operation, contact, values);
    return { ...change, outcome: referenceTo(change.outcome) };
  });
}

/** Two round trips. Throws what `updateContact` throws. */
export function updateContactOfPerson(
  { db, person, request }: { db: Database; person: Person; request: WriteRequest },
  uuid: string,
  changesOf: ChangesOf,
): Promise<Written<Contact>> {
  const actor = registrantActor(person);
  return write(db, request, {
    async look(keptFor) {
      const [kept, rows] = await db.batch([
        keptFor(actor.keyHolder),
        selectContacts(db).where(isContactOfPerson(person, uuid)),
      ]);
      return { kept, rows };
    },
    judge({ rows }) {
      const contact = theContact(rows);
      const operation = { db, origin: { actor, request } };
      const values = permittedValues(contact, request, changesOf);
      return notifyRegistrar(db, contact, rowUpdate(operation, contact, values));
    },
  });
}

/** Throws what `changesOf` throws, `update_prohibited`, `changed_meanwhile`. */
export function permittedValues(
  contact: Contact,
  request: WriteRequest,
  changesOf: ChangesOf,
): Partial<Contact> {
  checkVersion(contact, request);
  const { authInfo, ...changes } = changesOf(contact);
  const isSame =
    changes.email !== undefined && mailboxKey(changes.email) === mailboxKey(contact.email);
  checkStatuses(contact, 'Update');
  return {
    ...changes,
    ...(isSame && { email: undefined }),
    authInfo: authInfo === null ? generateAuthInfo() : authInfo,
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
