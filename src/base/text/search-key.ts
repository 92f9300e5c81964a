/**
 * Returns the key by which text is compared without case. Upper case, because one letter may have two lower-case forms
 * (σ and ς), then NFC. Lower case comes first, because the upper case of ẞ is itself, and that of ß is SS. Texts that
 * begin alike have keys that begin alike. A rule must have bounded the length.
 */
export function searchKey(text: string): string {
  return text.toLowerCase().toUpperCase().normalize('NFC');
}
