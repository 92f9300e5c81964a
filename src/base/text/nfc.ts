/**
 * One character of NFC has at most four characters in any form (unicode.org/faq/normalization.html, maximum expansion
 * factors), each of at most two code units.
 */
export const unitsPerCharacter = 8;

/**
 * Undefined if the text is too long for NFC to have at most `limit` characters. `normalize` takes quadratic time, so
 * text from outside reaches it only with a bound on its length.
 */
export function nfc(text: string, limit: number): string | undefined {
  return text.length > unitsPerCharacter * limit ? undefined : text.normalize('NFC');
}
