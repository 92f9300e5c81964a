/**
 * Contact codes, UUIDs and country codes are ASCII and are looked up without regard to case. Unicode's case folding
 * would let other letters match them: `ß` becomes `SS`, the dotless `ı` becomes `I`, and the Kelvin sign `k`.
 */

/** Leaves all characters but `a` to `z` as they are. */
export function asciiUpperCase(text: string): string {
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

/** Leaves all characters but `A` to `Z` as they are. */
export function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
