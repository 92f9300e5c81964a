/**
 * Returns the key by which text is compared without case. Upper case, because one letter may have two lower-case forms
 * (σ and ς), then NFC. Lower case comes first, because the upper case of ẞ is itself, and that of ß is SS. Texts that
 * begin alike have keys that begin alike. A rule must have bounded the length.
 */
export function searchKey(text: string): string {
  return text.toLowerCase().toUpperCase().normalize('NFC');
}

/** Letters with strokes, which Unicode does not decompose, each after the one without. */
const stroked = ['OØ', 'LŁ', 'DĐ', 'HĦ', 'TŦ'];

/** Signs that keyboards and word processors write in several ways, each after the one in ASCII. */
const signs = [
  "'´ʹʻʼ\u2018\u2019\u201a\u201b\u2032\u2039\u203a\uff07",
  '"«»\u201c\u201d\u201e\u201f\u2033\u301d\u301e\uff02',
  '-\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\ufe58\ufe63\uff0d',
  ' \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000',
];

const plainOf = new Map(
  [...stroked, ...signs].flatMap(([plain = '', ...others]) => others.map((one) => [one, plain])),
);

/**
 * Returns the key by which names are searched: `searchKey` without accents, and with the ASCII forms of apostrophes,
 * quotation marks, dashes and blanks. ASCII signs stay, as the database checks. Migrations do the same in SQL.
 */
export function nameKey(name: string): string {
  // The page's filter asks for thousands, nearly all in ASCII.
  if (/^[ -~]*$/.test(name)) return name.toUpperCase();
  const letters = searchKey(name)
    .replace(/\p{L}/gu, (letter) => letter.normalize('NFD'))
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC');
  return Array.from(letters, (letter) => plainOf.get(letter) ?? letter).join('');
}
