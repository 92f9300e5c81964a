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
  checkProhibition,
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

type ParseChanges = (contact: Contact) => ContactChanges & Partial<ContactIdentity>;

/**
 * Two round trips. Throws what `parseChanges` throws, `identity_change` for an identity other than the stored one,
 * `update_prohibited`, `not_found`, `changed_meanwhile`.
 */
export function updateContact(
  call: RegistrarCall,
  code: string,
  parseChanges: ParseChanges,
): Promise<Written<ContactReference>> {
  return writeContact(call, code, (operation, contact) => {
    checkVersion(contact, call.request);
    const { ident, identType, identCountryCode, ...changes } = parseChanges(contact);
    checkIdentity(contact, { ident, identType, identCountryCode });
    checkProhibition(contact, 'Update');
    const change = rowUpdate(operation, contact, storedValues(contact, changes));
    return { ...change, outcome: referenceTo(change.outcome) };
  });
}

/** Two round trips. Throws what `updateContact` throws. */
export function updateContactOfPerson(
  { db, person, request }: { db: Database; person: Person; request: WriteRequest },
  uuid: string,
  parseChanges: ParseChanges,
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
      checkVersion(contact, request);
      const changes = parseChanges(contact);
      checkProhibition(contact, 'Update');
      const operation = { db, origin: { actor, request } };
      const change = rowUpdate(operation, contact, storedValues(contact, changes));
      return notifyRegistrar(db, contact, change);
    },
  });
}

/** Keeps an address that names the same mailbox, and generates a cleared `authInfo`. */
export function storedValues(
  contact: Contact,
  { authInfo, ...changes }: ReturnType<ParseChanges>,
): Partial<Contact> {
  const isSame =
    changes.email !== undefined && mailboxKey(changes.email) === mailboxKey(contact.email);
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

function checkIdentity(contact: Contact, identity: Partial<ContactIdentity>): void {
  const isOnRecord =
    isSameIdentityCode(identity.ident ?? contact.ident, contact.ident) &&
    (identity.identType ?? contact.identType) === contact.identType &&
    (identity.identCountryCode ?? contact.identCountryCode) === contact.identCountryCode;
  if (isOnRecord) return;
  throw new RegistryError(
    'identity_change',
    'Ident update is not allowed. Consider creating new contact object',
    'ident',
  );
}
