import { identSeparators } from '../../drizzle/schema.ts';
import { asciiUpperCase } from '../ascii-case.ts';

/**
 * The form in which two codes are compared: letters and digits only, ASCII letters in upper case. A code that has
 * none stands for itself, so that it is nobody else's.
 */
export function identityKey(code: string): string {
  const bare = Array.from(code).filter((character) => !identSeparators.includes(character));
  return asciiUpperCase(bare.join('')) || code;
}

/** Whether two codes of one country and type are spellings of the same one. */
export function isSameIdentityCode(one: string, other: string): boolean {
  return identityKey(one) === identityKey(other);
}
