import { and, eq, type SQL, sql } from 'drizzle-orm';
import { type ContactStatus, contacts } from '../../drizzle/schema.ts';
import {
  type Database,
  isForeignKeyViolation,
  isUniqueViolation,
  untilWritten,
} from '../database.ts';
import { RegistryError } from '../error.ts';
import { difference, type Origin, type Request, recordIfChanged } from '../history.ts';
import type { Identity } from '../identity.ts';
import type { Person } from '../registrant.ts';
import { type ApiUser, type Login, withLogin } from '../registrar.ts';
import { contactCode } from './code.ts';
import { type Contact, getContactOfPerson, loadContact } from './read.ts';

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

export interface NewContact extends ContactChanges {
  name: string;
  email: string;
  phone: string;
  identity: Identity;
  /** The suffix that the registrar chose, or the whole code. */
  code?: string | null | undefined;
}

/** Creates a contact of the caller's registrar, and returns its code. Two round trips. Throws `taken`. */
export async function createContact(
  db: Database,
  login: Login,
  { identity, code: chosen, ...fields }: NewContact,
  request: Request,
): Promise<string> {
  const [caller] = await withLogin(db, login, () => []);
  const code = contactCode(caller, chosen ?? randomHex(4));
  const origin = originOf(caller, request);
  const contact = {
    ...fields,
    uuid: crypto.randomUUID(),
    code,
    registrarId: caller.registrarId,
    ident: identity.code,
    identType: identity.type,
    identCountryCode: identity.countryCode,
    authInfo: fields.authInfo ?? generateAuthInfo(),
    creator: origin.actor,
    createdAt: request.at.toISOString(),
    updatedAt: request.at.toISOString(),
  };
  const number = sql<number>`(
    select ifnull(max(${contacts.number}), 0) + 1 from ${contacts}
    where ${contacts.registrarId} = ${caller.registrarId}
  )`;
  try {
    await db.batch([
      db.insert(contacts).values({ ...contact, number }),
      recordIfChanged(
        db,
        origin,
        { type: 'contact', key: code, uuid: contact.uuid },
        'create',
        difference({}, contact),
      ),
    ]);
  } catch (error) {
    if (!isUniqueViolation(error, 'contacts.code')) throw error;
    throw new RegistryError('taken', 'Contact id already exists', 'code');
  }
  return code;
}

/**
 * Updates the registrar's contact with this code, and returns it. Two round trips. An identity is only compared:
 * throws `identity_change` where it is not the one on record, `update_prohibited`, `not_found`.
 */
export async function updateContact(
  db: Database,
  login: Login,
  code: string,
  { identity, ...changes }: ContactChanges & { identity?: Partial<Identity> | undefined },
  request: Request,
): Promise<Contact> {
  return untilWritten(async () => {
    const [caller, contact] = await loadContact(db, login, code);
    if (identity && !isOnRecord(contact, identity)) {
      throw new RegistryError(
        'identity_change',
        'Ident update is not allowed. Consider creating new contact object',
      );
    }
    return writeChanges(db, contact, changes, originOf(caller, request));
  });
}

function isOnRecord(contact: Contact, { code, type, countryCode }: Partial<Identity>): boolean {
  return (
    (code ?? contact.ident) === contact.ident &&
    (type ?? contact.identType) === contact.identType &&
    (countryCode ?? contact.identCountryCode) === contact.identCountryCode
  );
}

/**
 * Deletes the registrar's contact with this code. Two round trips. Throws `linked` where a domain refers to it
 * (also to one linked in this very moment), `delete_prohibited`, `not_found`.
 */
export async function deleteContact(db: Database, login: Login, code: string, request: Request) {
  const linked = () =>
    new RegistryError('linked', 'Object association prohibits operation', 'domains');
  await untilWritten(async () => {
    const [caller, contact] = await loadContact(db, login, code);
    if (contact.domainCount > 0) throw linked();
    if (prohibits(contact, 'Delete')) {
      throw new RegistryError(
        'delete_prohibited',
        'Contact delete prohibited by status',
        'statuses',
      );
    }
    const { id, registrarId, number, version, ...shown } = contact;
    const emptied = Object.fromEntries(Object.keys(shown).map((field) => [field, null]));
    try {
      const [deleted] = await db.batch([
        db.delete(contacts).where(isUnchanged(contact)),
        recordIfChanged(
          db,
          originOf(caller, request),
          subjectOf(contact),
          'delete',
          difference(shown, emptied),
        ),
      ]);
      return deleted.meta.changes > 0 || undefined;
    } catch (error) {
      if (isForeignKeyViolation(error)) throw linked();
      throw error;
    }
  });
}

/** Updates the person's contact with this UUID, and returns it. Two round trips. Throws as `updateContact`. */
export async function updateContactOfPerson(
  db: Database,
  person: Person,
  uuid: string,
  changes: ContactChanges,
  request: Request,
): Promise<Contact> {
  const actor = `RegistrantUser: ${person.firstName} ${person.lastName}`;
  return untilWritten(async () => {
    const contact = await getContactOfPerson(db, person, uuid);
    return writeChanges(db, contact, changes, { ...request, actorType: 'registrant', actor });
  });
}

/** Writes what differs, with its history; undefined if somebody else wrote to the contact first. */
async function writeChanges(
  db: Database,
  contact: Contact,
  changes: ContactChanges,
  origin: Origin,
): Promise<Contact | undefined> {
  if (prohibits(contact, 'Update')) {
    throw new RegistryError('update_prohibited', 'Object status prohibits operation');
  }
  const { authInfo, ...others } = changes;
  const values = { ...others, authInfo: authInfo === null ? generateAuthInfo() : authInfo };
  const recorded = difference(contact, values);
  if (Object.keys(recorded).length === 0) return contact;
  const written = {
    ...values,
    updater: origin.actor,
    updatedAt: origin.at.toISOString(),
    version: contact.version + 1,
  };
  const [updated] = await db.batch([
    db.update(contacts).set(written).where(isUnchanged(contact)),
    recordIfChanged(db, origin, subjectOf(contact), 'update', recorded),
  ]);
  return updated.meta.changes > 0 ? { ...contact, ...definedOf(written) } : undefined;
}

function definedOf<Values extends object>(values: Values) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function isUnchanged(contact: Contact): SQL | undefined {
  return and(eq(contacts.id, contact.id), eq(contacts.version, contact.version));
}

/** RFC 5733, section 2.2: what each prohibiting or pending status names. */
function prohibits(contact: Contact, operation: 'Update' | 'Delete'): boolean {
  const prohibiting: ContactStatus[] = [
    `client${operation}Prohibited`,
    `server${operation}Prohibited`,
    `pending${operation}`,
  ];
  return contact.statuses.some((status) => prohibiting.includes(status));
}

function originOf(caller: ApiUser, request: Request): Origin {
  return { ...request, actorType: 'api_user', actor: `${caller.id}-ApiUser: ${caller.username}` };
}

function subjectOf(contact: Contact) {
  return { type: 'contact', key: contact.code, uuid: contact.uuid } as const;
}

function generateAuthInfo(): string {
  return randomHex(11);
}

function randomHex(bytes: number): string {
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  return Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
