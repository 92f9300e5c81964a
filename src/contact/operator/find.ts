import { and, eq, inArray, or, type SQL, sql } from 'drizzle-orm';
import { contacts, registrars } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { asciiLowerCase, asciiUpperCase } from '../../base/text/ascii-case.ts';
import { selectContacts } from '../contact.ts';
import { identityKey } from '../identity-code.ts';
import { mailboxKey } from '../mailbox.ts';
import { listDeletedContactsBy } from './administer.ts';
import { keyHasWords } from './words.ts';

/**
 * Finds contacts of any registrar by code (with or without prefix), UUID, address, identity code or words of the name.
 * All use indexes, but the search for words scans the index of names until it has enough. `former` has deleted or
 * corrected contacts from the history, if the text is an address or contains a digit.
 */
export async function findContacts(db: Database, text: string, limit: number) {
  const code = asciiUpperCase(text);
  const codes = sql`(select ${code} union all select code || ':' || ${code} from ${registrars})`;
  const isAddress = text.includes('@');
  const { registrarId, identKey, emailKey, nameKey } = contacts;
  const find = (condition: SQL | undefined) => selectContacts(db).where(condition).limit(limit);
  // The indexes of the keys begin with the registrar.
  const findKey = (condition: SQL | undefined) =>
    find(and(sql`${registrarId} in (select id from ${registrars})`, condition));
  const identifier = isAddress ? { email: text } : { ident: text };
  const isIdentifier = isAddress || (text.length < 36 && /^[^:]*\d[^:]*$/.test(text));
  const [byCode, byIdentifier, byName, former] = await Promise.all([
    find(or(inArray(contacts.code, codes), eq(contacts.uuid, asciiLowerCase(text)))),
    findKey(isAddress ? eq(emailKey, mailboxKey(text)) : eq(identKey, identityKey(text))),
    /[@:]/.test(text) ? [] : findKey(keyHasWords(nameKey, text)),
    isIdentifier ? listDeletedContactsBy(db, identifier, { after: undefined, limit }) : [],
  ]);
  return { byCode, byIdentifier, byName, former };
}
