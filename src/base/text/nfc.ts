/**
 * One character of NFC has at most four characters in any form (unicode.org/faq/normalization.html, maximum expansion
 * factors), each of at most two code units.
 */
export const unitsPerCharacter = 8;

/**
 * Undefined if the text is too long for `limit` characters of NFC. `normalize` takes quadratic time, so text from
 * outside needs this bound.
 */
export function nfc(text: string, limit: number): string | undefined {
  return text.length > unitsPerCharacter * limit ? undefined : text.normalize('NFC');
}
