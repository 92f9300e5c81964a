import { type SQL, sql } from 'drizzle-orm';
import { contacts, registrars } from '../../drizzle/schema.ts';
import { randomHex } from '../base/bytes/digest.ts';
import { insertRows, valuesInJson } from '../base/database/insert-rows.ts';
import type { Database } from '../base/database/open.ts';
import { orRefusal, RegistryError } from '../base/error.ts';
import { asciiUpperCase } from '../base/text/ascii-case.ts';
import { expectedSentence } from '../base/text/field.ts';
import { difference } from '../change/history/changes.ts';
import { changeOf, type Written, write } from '../change/write.ts';
import { registrarIdOf } from '../party/registrar/account.ts';
import {
  type Caller,
  keyHolderOf,
  type Login,
  type RegistrarCall,
  readWithLogin,
  withLogin,
} from '../party/registrar/login.ts';
import {
  type ContactReference,
  changeTime,
  contactSubject,
  generateAuthInfo,
  keysOf,
  nextVersion,
  referenceTo,
} from './contact.ts';
import type { NewContact } from './fields.ts';
import { contactRules } from './rules.ts';

/** Two round trips. Throws `taken`, `invalid`, and as `withLogin` does. */
export function createContact(
  { db, login, request }: RegistrarCall,
  { code: id, ...values }: NewContact,
): Promise<Written<ContactReference>> {
  const uuid = crypto.randomUUID();
  const content = { ...values, authInfo: values.authInfo ?? generateAuthInfo() };
  return write(db, request, {
    async look(keptFor) {
      const [caller, kept] = await withLogin(db, login, (registrarId) => [
        keptFor(keyHolderOf(login, registrarId)),
      ]);
      return { caller, kept };
    },
    judge({ caller }) {
      const origin = { actor: caller.actor, request };
      const code = contactCode(caller, id);
      const at = request.at.toISOString();
      const version = nextVersion(request.at);
      const contact = {
        ...content,
        ...keysOf(content),
        uuid,
        code,
        registrarId: caller.registrarId,
        number: nextNumber(caller.registrarId),
        creator: origin.actor.name,
        createdAt: at,
        version,
        updatedAt: changeTime(caller.registrarId, request.at),
      };
      return {
        ...changeOf({ origin }, contactSubject({ ...contact, registrar: caller.registrarCode })),
        action: 'create',
        changes: difference({}, content),
        statements: [db.insert(contacts).values(contact)],
        outcome: referenceTo({ uuid, code, version, domainCount: 0 }),
        // Without a chosen id, the next attempt draws another code.
        taken: id ? duplicateId() : undefined,
      };
    },
  });
}

function duplicateId(): RegistryError {
  return new RegistryError('taken', 'Contact id already exists [code]', 'id');
}

/**
 * Returns the error that `createContact` would throw for each contact, or undefined. Accepted contacts count as created
 * for the following ones, and errors in the input are returned. One round trip. Throws what `withLogin` throws.
 */
export async function validateContacts(
  db: Database,
  login: Login,
  contacts: readonly (NewContact | RegistryError)[],
): Promise<(RegistryError | undefined)[]> {
  const ids = contacts.flatMap((contact) => ('code' in contact && contact.code) || []);
  const [caller, rows] = await readWithLogin(db, login, (registrarId) => [
    selectDuplicates(db, registrarId, ids),
  ]);
  const codes = new Set(rows.map(({ code }) => code));
  return contacts.map((contact) => {
    if (contact instanceof RegistryError) return contact;
    const code = orRefusal(() => contactCode(caller, contact.code));
    if (code instanceof RegistryError) return code;
    if (codes.has(code)) return duplicateId();
    codes.add(code);
    return undefined;
  });
}

/** Numbers follow the order of a registrar's ids. */
function nextNumber(registrarId: number | SQL): SQL<number> {
  return sql`(
    select ifnull(max(${contacts.number}), 0) + 1 from ${contacts}
    where ${contacts.registrarId} = ${registrarId}
  )`;
}

/**
 * Inserts contacts from a query. Its column `row` has each as JSON, with the registrar's code and a `position`. Ids,
 * versions and times of change are optional.
 */
export function insertContacts(db: Database, rows: SQL, at: Date) {
  const registrarId = registrarIdOf(sql`row ->> 'registrar'`);
  const values = {
    ...valuesInJson(contacts),
    registrarId,
    // Numbers follow the order of ids even for contacts that moved in. The query reads the table that it writes to, so
    // SQLite collects all rows before it writes the first.
    number: sql`ifnull(row ->> 'id', ${nextNumber(registrarId)} - 1
      + row_number() over (partition by row ->> 'registrar' order by row ->> 'position'))`,
    version: sql`ifnull(row ->> 'version', ${nextVersion(at)})`,
    // Unknown whether a domain ever referred to it.
    unlinkedAt: at.toISOString(),
    updatedAt: sql`ifnull(row ->> 'updatedAt', ${changeTime(registrarId, at)})`,
  };
  return insertRows(db, contacts, values, sql`from (${rows}) order by row ->> 'position'`);
}

/**
 * Returns, for each id in its place, the code that a creation would give, undefined for a malformed id, and its refusal if there is one. One
 * round trip.
 */
export async function checkContactCodes(
  db: Database,
  login: Login,
  ids: readonly (string | RegistryError)[],
): Promise<{ code?: string; refusal?: RegistryError }[]> {
  const readable = ids.filter((id) => typeof id === 'string');
  const [caller, rows] = await readWithLogin(db, login, (registrarId) => [
    selectDuplicates(db, registrarId, readable),
  ]);
  const taken = new Set(rows.map(({ code }) => code));
  return ids.map((id) => {
    const code = typeof id === 'string' ? orRefusal(() => contactCode(caller, id)) : id;
    if (code instanceof RegistryError) return { refusal: code };
    return taken.has(code) ? { code, refusal: duplicateId() } : { code };
  });
}

/** Returns the taken codes among those that these ids would get. */
function selectDuplicates(db: Database, registrarId: SQL<number>, ids: readonly string[]) {
  const upper = JSON.stringify(ids.map(asciiUpperCase));
  // An id may be a whole code.
  return db
    .select({ code: contacts.code })
    .from(contacts)
    .where(
      sql`${contacts.code} in (
        select value from json_each(${upper}) union all
        select (select ${registrars.code} || ':' from ${registrars}
          where ${registrars.id} = ${registrarId})
          || value from json_each(${upper}))`,
    );
}

const maximumCodeLength = 100;

/**
 * Returns `<REGISTRAR>:<SUFFIX>` in upper case, with a random suffix if there is no id. Throws `invalid` for an empty
 * suffix or too long a code.
 */
export function contactCode(caller: Pick<Caller, 'registrarCode'>, id?: string | null): string {
  const prefix = `${caller.registrarCode}:`;
  const upper = asciiUpperCase(id ?? randomHex(4));
  const code = upper.startsWith(prefix) ? upper : prefix + upper;
  if (code.length > maximumCodeLength || code === prefix) {
    throw invalidId();
  }
  return code;
}

export function invalidId(): RegistryError {
  const detail = expectedSentence(contactRules.code());
  const message = 'Contact id is invalid';
  return new RegistryError([{ reason: 'invalid', message, field: 'id', detail }]);
}
