/**
 * Returns the key by which text is compared without case. Upper case, because one letter may have two lower-case forms
 * (σ and ς), then NFC. Lower case comes first, because the upper case of ẞ is itself, and that of ß is SS. Texts that
 * begin alike have keys that begin alike. A rule must have bounded the length.
 */
export function searchKey(text: string): string {
  return text.toLowerCase().toUpperCase().normalize('NFC');
}

/** Letters that Unicode does not decompose, each after the one without its stroke. */
const stroked = ['OØ', 'LŁ', 'DĐ', 'HĦ', 'TŦ'];

/** Letters that are written as others where a keyboard lacks them. */
const spelledOut = { Æ: 'AE', Œ: 'OE', Þ: 'TH', Ð: 'D' };

/** Signs that keyboards and word processors write in several ways, each after the one in ASCII. A backtick is no apostrophe. */
const signs = [
  "'´ʹʻʼ\u2018\u2019\u201a\u201b\u2032\u2039\u203a\uff07",
  '"«»\u201c\u201d\u201e\u201f\u2033\u301d\u301e\uff02',
  '-\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\ufe58\ufe63\uff0d',
  ' \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000',
];

const firstOf = (groups: readonly string[]) =>
  groups.flatMap(([plain = '', ...others]) => others.map((one) => [one, plain] as const));
const plainSigns = new Map(firstOf(signs));
const plainOf = new Map([...firstOf(stroked), ...plainSigns]);
const spellings = new Map(Object.entries(spelledOut));

const replaceEach = (text: string, by: ReadonlyMap<string, string>) =>
  Array.from(text, (letter) => by.get(letter) ?? letter).join('');

const isAscii = (text: string) => /^[ -~]*$/.test(text);

/**
 * Returns the key by which names are stored, searched and compared: in upper case, without accents, compatibility forms
 * and what can't be seen, and with the ASCII forms of apostrophes, quotation marks, dashes and blanks. ASCII is its own
 * key in upper case, as the database checks. A migration does most of it in SQL, and `contact rekey` the rest. A rule
 * must have bounded the length.
 */
export function nameKey(name: string): string {
  // The page's filter asks for thousands, nearly all in ASCII.
  if (isAscii(name)) return name.toUpperCase();
  // Signs first: compatibility takes an acute accent for a blank with a mark.
  const compatible = replaceEach(name, plainSigns).normalize('NFKC');
  const seen = compatible.replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  return replaceEach(formerNameKey(seen), spellings).replace(/\s+/g, ' ').trim();
}

/** Returns the key of 0020_text_keys.sql. */
function formerNameKey(name: string): string {
  if (isAscii(name)) return name.toUpperCase();
  const letters = searchKey(name)
    .replace(/\p{L}/gu, (letter) => letter.normalize('NFD'))
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC');
  return replaceEach(letters, plainOf);
}

/**
 * Returns the keys under which a name may be stored. Those of former migrations, and of 1.0.0 (which keeps accents) while
 * it runs on this release's tables, stay until `contact rekey` has run.
 */
export function storedNameKeys(name: string): string[] {
  return [...new Set([nameKey(name), formerNameKey(name), searchKey(name)])];
}
