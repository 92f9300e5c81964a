/**
 * Contact codes, UUIDs and country codes are ASCII, and are looked up without regard to case. Unicode's own folding
 * would open one with the letters of another: `ß` becomes `SS`, the dotless `ı` becomes `I`, the Kelvin sign `k`.
 */

/** `a` to `z` in upper case; every other character stays as it is. */
export function asciiUpperCase(text: string): string {
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

/** `A` to `Z` in lower case; every other character stays as it is. */
export function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
