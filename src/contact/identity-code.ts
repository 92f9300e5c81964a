import { identSeparators } from '../../drizzle/schema.ts';
import { asciiUpperCase } from '../text/ascii-case.ts';

/**
 * The form in which codes are compared: letters and digits only, with ASCII letters in upper case. A code without any is
 * its own key, so that it equals no other code.
 */
export function identityKey(code: string): string {
  const bare = Array.from(code).filter((character) => !identSeparators.includes(character));
  return asciiUpperCase(bare.join('')) || code;
}

/** Whether two codes of one country and type are spellings of the same one. */
export function isSameIdentityCode(one: string, other: string): boolean {
  return identityKey(one) === identityKey(other);
}
