import { type SQL, sql } from 'drizzle-orm';
import { contacts, registrars } from '../../drizzle/schema.ts';
import { randomHex } from '../base/bytes/digest.ts';
import type { Database } from '../base/database/open.ts';
import { RegistryError } from '../base/error.ts';
import { asciiUpperCase } from '../base/text/ascii-case.ts';
import { type Caller, type Login, readWithLogin } from '../party/registrar/login.ts';

/** The code that a contact with this id would get, and whether it is free. One round trip. Throws `invalid`. */
export async function checkContactCode(db: Database, login: Login, id: string) {
  const [caller, taken] = await readWithLogin(db, login, (registrarId) => [
    takenCodes(db, registrarId, [id]),
  ]);
  const code = contactCode(caller, id);
  return { code, isAvailable: !taken.some((row) => row.code === code) };
}

/** Which of the codes that the registrar's contacts with these ids would get are taken. */
export function takenCodes(db: Database, registrarId: SQL<number>, ids: readonly string[]) {
  const upper = JSON.stringify(ids.map(asciiUpperCase));
  // An id may be a whole code.
  return db
    .select({ code: contacts.code })
    .from(contacts)
    .where(
      sql`${contacts.code} in (
        select value from json_each(${upper}) union all
        select (select ${registrars.code} || ':' from ${registrars} where ${registrars.id} = ${registrarId})
          || value from json_each(${upper}))`,
    );
}

/** Including the registrar's prefix. */
const maximumCodeLength = 100;

/**
 * `<REGISTRAR>:<SUFFIX>` in upper case, with one prefix; without an id, the suffix is drawn. Throws `invalid` for an
 * empty suffix or too long a code.
 */
export function contactCode(caller: Pick<Caller, 'registrarCode'>, id?: string | null): string {
  const prefix = `${caller.registrarCode}:`;
  const upper = asciiUpperCase(id ?? randomHex(4));
  const code = upper.startsWith(prefix) ? upper : prefix + upper;
  if (code.length > maximumCodeLength || code === prefix) {
    throw new RegistryError('invalid', 'Contact id is invalid', 'id');
  }
  return code;
}
