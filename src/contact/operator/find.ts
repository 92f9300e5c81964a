import { and, eq, inArray, or, type SQL, sql } from 'drizzle-orm';
import {
  contactNames,
  contacts,
  formerContacts,
  phoneEnd,
  registrars,
} from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { asciiLowerCase, asciiUpperCase } from '../../base/text/ascii-case.ts';
import { typed } from '../../base/text/typed.ts';
import { type ContactWithRegistrar, selectContacts } from '../contact.ts';
import { mailboxKey } from '../mailbox.ts';
import {
  type ContactDeletion,
  findDeletedContacts,
  findDeletedContactsBy,
  hasTypedIdentity,
} from './administer.ts';
import { editsOf, storedWordsOf, wordsOf } from './words.ts';

/** No field of a contact that is searched for is longer (src/contact/rules.ts). */
const maximumLength = 255;

/** `contactNames` has no more characters. */
const maximumPhrase = 60;
/** Of the contacts with one of the words, the search looks for the other words at no more. */
const maximumScanned = 5_000;
/** Near spellings of longer words, and of more words, are not searched for. */
const maximumEdits = { letters: 24, words: 4 };

const plainLetters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/**
 * Finds contacts of any registrar by code (with or without prefix), UUID, address, identity code, telephone number, and
 * beginnings of words of the name. `former` had the address, the code or the name until they were deleted
 * or changed; `isListed` if `listDeletedContactsBy` lists some of them.
 * All use indexes.
 */
export async function findContacts(db: Database, given: string, limit: number) {
  const text = typed(given);
  if (text.length > maximumLength) {
    return { byCode: [], byIdentifier: [], byPhone: [], byName: [], former: [], isListed: false };
  }
  const code = asciiUpperCase(text);
  const codes = sql`(select ${code} union all select code || ':' || ${code} from ${registrars})`;
  const isAddress = text.includes('@');
  const { registrarId, emailKey } = contacts;
  const find = (condition: SQL | undefined) => selectContacts(db).where(condition).limit(limit);
  // The indexes of the keys begin with the registrar.
  const findKey = (condition: SQL | undefined) =>
    find(and(sql`${registrarId} in (select id from ${registrars})`, condition));
  const email = typed(given, 'mailbox');
  const isIdentifier = isAddress || (text.length < 40 && /\d/.test(text));
  const telephone = typed(given, 'telephone');
  const digits = /^[\d\s\p{Pd}\p{Cf}+()./]+$/u.test(telephone) ? telephone.replace(/\D/g, '') : '';
  const identifier = isAddress ? { email } : { ident: text };
  const hasPhone = sql`${phoneEnd(sql`${contacts.phone}`)} = ${digits.slice(-7)}`;
  const [byCode, byIdentifier, byPhone, named, ended] = await Promise.all([
    find(or(inArray(contacts.code, codes), eq(contacts.uuid, asciiLowerCase(text)))),
    findKey(isAddress ? eq(emailKey, mailboxKey(email)) : hasTypedIdentity(text)),
    digits.length < 7 ? [] : find(hasPhone),
    findNames(db, /[@:]/.test(text) ? [] : storedWordsOf(text), limit),
    isIdentifier ? findDeletedContactsBy(db, identifier, limit) : [],
  ]);
  // The last digits of an identity code are no telephone number.
  const isCode = byIdentifier.length + ended.length > 0 && digits.length > 8;
  const others = new Map([...named.former, ...ended].map((one) => [one.uuid, one]));
  for (const { uuid } of byIdentifier) others.delete(uuid);
  return {
    ...{ byCode, byIdentifier, byPhone: isCode ? [] : byPhone, byName: named.present },
    former: [...others.values()],
    isListed: ended.length > 0,
  };
}

export interface FoundContacts {
  present: readonly ContactWithRegistrar[];
  former: readonly ContactDeletion[];
}

/** Finds the contacts and former contacts whose names have words that begin so, in any order. */
async function findNames(
  db: Database,
  lists: readonly (readonly string[])[],
  limit: number,
): Promise<FoundContacts> {
  const others = lists.map((words) => {
    const [longest = ''] = [...words].sort((a, b) => b.length - a.length);
    const isWithAll = words.map((word) => sql`instr(' ' || words, ${` ${word}`}) > 0`);
    const scanned = sql`select * from ${contactNames} where ${begins(sql`${longest}`)}
      limit ${words.length > 1 ? Math.ceil(maximumScanned / lists.length) : 0}`;
    return sql`union all select contact_id from (${scanned}) where ${and(sql`true`, ...isWithAll)}`;
  });
  const phrases = lists.flatMap((words) => words.map((_, first) => phraseFrom(words, first)));
  return findNamed(db, phrases, sql.join(others, sql` `), limit);
}

/** Finds those with one letter of one word more, less or other, or two exchanged. */
export async function findNearPersons(
  db: Database,
  text: string,
  limit: number,
): Promise<FoundContacts> {
  const words = wordsOf(text);
  const isNear = words.length <= maximumEdits.words && !/[@:]/.test(text);
  const phrases = words.flatMap((word, place) => {
    if (!isNear || word.length < 3 || word.length > maximumEdits.letters) return [];
    const edits = editsOf(word, plainLetters);
    // The other words may be beginnings.
    const end = words.length > 1 ? '' : ' ';
    return edits.map((edit) => phraseFrom(words.with(place, edit), place) + end);
  });
  return findNamed(db, phrases, sql``, limit);
}

/** The words from one on to the end, and then from the beginning, as `contactNames` has them. */
function phraseFrom(words: readonly string[], first: number): string {
  const phrase = [...words.slice(first), ...words.slice(0, first)].join(' ');
  return [...phrase].slice(0, maximumPhrase).join('');
}

const begins = (start: SQL) => sql`words >= ${start} and words < ${start} || char(1114111)`;

async function findNamed(
  db: Database,
  phrases: readonly string[],
  others: SQL,
  limit: number,
): Promise<FoundContacts> {
  if (phrases.length === 0) return { present: [], former: [] };
  const found = await db.all<{ id: number; uuid: string | null }>(sql`
    select id, (select uuid from ${formerContacts} as former where former.id = found.id) as uuid from (
      select distinct contact_id as id from (
        select contact_id from json_each(${JSON.stringify(phrases)}) cross join ${contactNames}
          where ${begins(sql`value`)}
        ${others}) limit ${limit}) as found`);
  const ids = found.flatMap(({ id, uuid }) => (uuid === null ? [id] : []));
  const uuids = found.flatMap(({ uuid }) => uuid ?? []);
  const [present, former] = await Promise.all([
    ids.length > 0 ? selectContacts(db).where(inArray(contacts.id, ids)) : [],
    uuids.length > 0 ? findDeletedContacts(db, uuids) : [],
  ]);
  return { present, former };
}
