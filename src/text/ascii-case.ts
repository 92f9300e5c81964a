/**
 * Contact codes, UUIDs and country codes are ASCII and are looked up without regard to case. Unicode's case folding
 * would let other letters match them: `ß` becomes `SS`, the dotless `ı` becomes `I`, and the Kelvin sign `k`.
 */

/** Turns `a` to `z` into upper case and leaves every other character as it is. */
export function asciiUpperCase(text: string): string {
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

/** Turns `A` to `Z` into lower case and leaves every other character as it is. */
export function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
