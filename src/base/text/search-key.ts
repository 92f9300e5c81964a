/**
 * For comparing text without regard to case: upper case, because one letter may have two lower-case forms (σ and ς),
 * and NFC. Lower case comes first, because the upper case of ẞ is itself, and that of ß is SS. The keys of text that
 * begins alike begin alike. The text must have passed a rule that bounds its length.
 */
export function searchKey(text: string): string {
  return text.toLowerCase().toUpperCase().normalize('NFC');
}
