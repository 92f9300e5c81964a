/**
 * Contact codes, UUIDs and country codes are ASCII, and look-ups ignore their case. Unicode's case folding would let
 * other letters match: `ß` becomes `SS`, the dotless `ı` becomes `I`, and the Kelvin sign `k`.
 */

/** Changes only `a` to `z`. */
export function asciiUpperCase(text: string): string {
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

/** Changes only `A` to `Z`. */
export function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
