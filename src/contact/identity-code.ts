import { asciiUpperCase } from '../base/text/ascii-case.ts';

/**
 * ASCII characters but the plus that people write between the letters and digits of a code, and the spaces, hyphens and
 * dashes that word processors insert.
 */
export const separators = [
  ' !"#$%&\'()*,-./:;<=>?@[\\]^_`{|}~',
  '\u00a0\u00ad\u00b7\u2002\u2003\u2007\u2009\u200b\u200c\u200d',
  '\u2010\u2011\u2012\u2013\u2014\u2015\u202f\u2060\u2212\ufeff',
].join('');

/**
 * A Swedish or Finnish code whose `+` says that its person was born a century before the one with a hyphen. Finland's
 * other signs of a century are letters.
 */
const centuryCode = /^\d{6}(\d\d)?\+\d{3}[\dA-Z]$/;

/**
 * Codes are compared in this form, stored as `ident_key`: letters and digits, with ASCII letters in upper case, and the
 * `+` of a century. A code without any is its own key. `keyOfChanged` in entries.ts is the same in SQL.
 */
export function identityKey(code: string): string {
  const kept = Array.from(code).filter((character) => !separators.includes(character));
  const key = asciiUpperCase(kept.join(''));
  return centuryCode.test(key) ? key : key.replaceAll('+', '') || code;
}

/** Whether a search parameter is such a code whose `+` was not encoded, and arrived as a blank. */
export function hasLostPlus(code: string): boolean {
  const isCentury = (text: string) => centuryCode.test(identityKey(text));
  return !isCentury(code) && isCentury(code.replace(' ', '+'));
}

export function isSameIdentityCode(one: string, other: string): boolean {
  return identityKey(one) === identityKey(other);
}
