import { sql } from 'drizzle-orm';
import { asciiUpperCase } from '../base/text/ascii-case.ts';

/**
 * The separators that people write in a code (all ASCII punctuation except the plus), and the spaces, hyphens and
 * dashes that word processors insert.
 */
export const separators = [
  ' !"#$%&\'()*,-./:;<=>?@[\\]^_`{|}~',
  '\u00a0\u00ad\u00b7\u2002\u2003\u2007\u2009\u200b\u200c\u200d',
  '\u2010\u2011\u2012\u2013\u2014\u2015\u202f\u2060\u2212\ufeff',
].join('');

export const separatorText = sql.raw(`'${separators.replaceAll("'", "''")}'`);

/**
 * A Swedish or Finnish code, with or without its country. Its `+` means a birth one century before the same code with a hyphen. Finland's other
 * century signs are letters.
 */
const centuryCode = /^([A-Z]{2})?\d{6}(\d\d)?\+\d{3}[\dA-Z]$/;

/**
 * Returns the form in which codes are compared and stored (`ident_key`): letters and digits, ASCII letters in upper
 * case, and the `+` of a century. An empty result gives the code itself. `keyOfChanged` in entries.ts does the same in
 * SQL.
 */
export function identityKey(code: string): string {
  const characters = Array.from(code).filter((character) => !separators.includes(character));
  const key = asciiUpperCase(characters.join(''));
  return centuryCode.test(key) ? key : key.replaceAll('+', '') || code;
}

/** False for a text of nothing but separators. `isCodeKey` in same-person.ts does the same in SQL. */
export function isCode(text: string): boolean {
  return Array.from(text).some((one) => one !== '+' && !separators.includes(one));
}

/** Checks for a search parameter with such a code whose `+` was not encoded and became a space. */
export function hasLostPlus(code: string): boolean {
  const isCentury = (text: string) => centuryCode.test(identityKey(text));
  return !isCentury(code) && isCentury(code.replace(/ (?!.* )/, '+'));
}

export function isSameIdentityCode(first: string, second: string): boolean {
  return identityKey(first) === identityKey(second);
}
