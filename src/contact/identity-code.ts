import { asciiUpperCase } from '../base/text/ascii-case.ts';

/**
 * ASCII characters that people write between the letters and digits of a code, and the spaces, hyphens and dashes that
 * word processors insert.
 */
export const separators = [
  ' !"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~',
  '\u00a0\u00ad\u00b7\u2002\u2003\u2007\u2009\u200b\u200c\u200d',
  '\u2010\u2011\u2012\u2013\u2014\u2015\u202f\u2060\u2212\ufeff',
].join('');

/**
 * Codes are compared in this form, stored as `ident_key`: letters and digits, with ASCII letters in upper case. A
 * code without any is its own key.
 */
export function identityKey(code: string): string {
  const bare = Array.from(code).filter((character) => !separators.includes(character));
  return asciiUpperCase(bare.join('')) || code;
}

export function isSameIdentityCode(one: string, other: string): boolean {
  return identityKey(one) === identityKey(other);
}
