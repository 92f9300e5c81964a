import { type SQL, sql } from 'drizzle-orm';
import { contacts } from '../../drizzle/schema.ts';
import { insertRows, valuesInJson } from '../base/database/insert-rows.ts';
import type { Database } from '../base/database/open.ts';
import { orRefusal, RegistryError } from '../base/error.ts';
import { difference } from '../change/history/changes.ts';
import { type WriteRequest, type Written, write } from '../change/write.ts';
import { registrarIdOf } from '../party/registrar/account.ts';
import { keyHolderOf, type Login, readWithLogin, withLogin } from '../party/registrar/login.ts';
import { changeTime } from './change-time.ts';
import { contactCode, takenCodes } from './code.ts';
import {
  type ContactReference,
  contactSubject,
  generateAuthInfo,
  nextVersion,
  referenceTo,
} from './contact.ts';
import type { NewContact } from './fields.ts';
import { keysOf } from './keys.ts';

/** Two round trips. Throws `taken`, `invalid`, and as `withLogin` does. */
export function createContact(
  db: Database,
  login: Login,
  { code: chosen, ...given }: NewContact,
  request: WriteRequest,
): Promise<Written<ContactReference>> {
  const uuid = crypto.randomUUID();
  const content = { ...given, authInfo: given.authInfo ?? generateAuthInfo() };
  return write(db, request, {
    async look(keptFor) {
      const [caller, kept] = await withLogin(db, login, (registrarId) => [
        keptFor(keyHolderOf(login, registrarId)),
      ]);
      return { caller, kept };
    },
    judge({ caller }) {
      const by = caller.actor;
      const code = contactCode(caller, chosen);
      const at = request.at.toISOString();
      const version = nextVersion(request.at);
      const contact = {
        ...content,
        ...keysOf(content),
        uuid,
        code,
        registrarId: caller.registrarId,
        number: nextNumber(caller.registrarId),
        creator: by.name,
        createdAt: at,
        version,
        updatedAt: changeTime(caller.registrarId, request.at),
      };
      return {
        by,
        subject: contactSubject({ ...contact, registrar: caller.registrarCode }),
        action: 'create',
        changes: difference({}, content),
        statements: () => [db.insert(contacts).values(contact)],
        outcome: referenceTo({ uuid, code, version, domainCount: 0 }),
        // If nobody chose the code, the next attempt draws another.
        taken: chosen ? taken() : undefined,
      };
    },
  });
}

function taken(): RegistryError {
  return new RegistryError('taken', 'Contact id already exists [code]', 'id');
}

/**
 * Returns what `createContact` would throw for each of the contacts; undefined for one that it would create, which then
 * counts as created for those after it. A given refusal is returned as it is. One round trip. Throws what `withLogin`
 * throws.
 */
export async function validateContacts(
  db: Database,
  login: Login,
  contacts: readonly (NewContact | RegistryError)[],
): Promise<(RegistryError | undefined)[]> {
  const ids = contacts.flatMap((contact) => ('code' in contact && contact.code) || []);
  const [caller, rows] = await readWithLogin(db, login, (registrarId) => [
    takenCodes(db, registrarId, ids),
  ]);
  const codes = new Set(rows.map(({ code }) => code));
  return contacts.map((contact) => {
    if (contact instanceof RegistryError) return contact;
    const code = orRefusal(() => contactCode(caller, contact.code));
    if (code instanceof RegistryError) return code;
    if (codes.has(code)) return taken();
    codes.add(code);
    return undefined;
  });
}

/** A registrar's contacts are numbered in the order of their ids. */
function nextNumber(registrarId: number | SQL): SQL<number> {
  return sql`(
    select ifnull(max(${contacts.number}), 0) + 1 from ${contacts}
    where ${contacts.registrarId} = ${registrarId}
  )`;
}

/**
 * Inserts the rows of a query that has each as JSON in its column `row`, with the code of its registrar, and its
 * `place` among them. A row may bring its id, its version and the time of its last change.
 */
export function insertContacts(db: Database, rows: SQL, at: Date) {
  const registrarId = registrarIdOf(sql`row ->> 'registrar'`);
  const values = {
    ...valuesInJson(contacts),
    registrarId,
    // The order of a registrar's contacts is that of their ids, whenever they move in. SQLite collects all rows before it
    // writes the first, because the query reads the table that it writes to.
    number: sql`ifnull(row ->> 'id', ${nextNumber(registrarId)} - 1
      + row_number() over (partition by row ->> 'registrar' order by row ->> 'place'))`,
    version: sql`ifnull(row ->> 'version', ${nextVersion(at)})`,
    // Nobody knows here whether a domain referred to it before, or until when.
    unlinkedAt: at.toISOString(),
    updatedAt: sql`ifnull(row ->> 'updatedAt', ${changeTime(registrarId, at)})`,
  };
  return insertRows(db, contacts, values, sql`from (${rows}) order by row ->> 'place'`);
}
