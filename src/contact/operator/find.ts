import { and, eq, inArray, or, type SQL, sql } from 'drizzle-orm';
import { contacts, registrars } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { asciiLowerCase, asciiUpperCase } from '../../base/text/ascii-case.ts';
import { selectContacts } from '../contact.ts';
import { identityKey } from '../identity-code.ts';
import { emailKeys } from '../mailbox.ts';
import { listDeletedContactsBy } from './administer.ts';
import { keyHasWords } from './words.ts';

/**
 * The first contacts of any registrar, by what the text is of them: a code, also without its prefix, or a UUID; a whole
 * address, or an identity code of any type and country; or words of a name. Indexes lead to all but those with the
 * words, for which it reads as many entries of the index of names as it takes. `former` has those that were deleted or
 * corrected; for them it reads the history, if the text is an address, or has a digit as an identity code has.
 */
export async function findContacts(db: Database, text: string, limit: number) {
  const code = asciiUpperCase(text);
  const codes = sql`(select ${code} union all select code || ':' || ${code} from ${registrars})`;
  const isAddress = text.includes('@');
  const { registrarId, identKey, emailKey, nameKey } = contacts;
  const find = (condition: SQL | undefined) => selectContacts(db).where(condition).limit(limit);
  // An index of each registrar has the keys.
  const findKey = (condition: SQL | undefined) =>
    find(and(sql`${registrarId} in (select id from ${registrars})`, condition));
  const trace = isAddress ? { email: text } : { ident: text };
  const isTrace = isAddress || (text.length < 36 && /^[^:]*\d[^:]*$/.test(text));
  const [byCode, byTrace, byName, former] = await Promise.all([
    find(or(inArray(contacts.code, codes), eq(contacts.uuid, asciiLowerCase(text)))),
    findKey(isAddress ? inArray(emailKey, emailKeys(text)) : eq(identKey, identityKey(text))),
    /[@:]/.test(text) ? [] : findKey(keyHasWords(nameKey, text)),
    isTrace ? listDeletedContactsBy(db, trace, { after: undefined, limit }) : [],
  ]);
  return { byCode, byTrace, byName, former };
}
