/**
 * Code units that one character of normal form C may stand for: it has at most four characters in any form
 * (unicode.org/faq/normalization.html, maximum expansion factors), each of at most two code units.
 */
export const unitsPerCharacter = 8;

/**
 * The text in Unicode's normal form C; undefined if it is too long for that form to have at most `limit` characters.
 * `normalize` takes time quadratic in the number of combining marks in the wrong order, so text from outside reaches it
 * only with a bound on its length.
 */
export function nfc(text: string, limit: number): string | undefined {
  return text.length > unitsPerCharacter * limit ? undefined : text.normalize('NFC');
}
