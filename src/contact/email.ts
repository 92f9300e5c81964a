import punycode from 'punycode/punycode.js';

/** A letter, mark or digit of any script, but none that Unicode lets a font leave out. */
const letter = '(?!\\p{Default_Ignorable_Code_Point})[\\p{L}\\p{M}\\p{N}]';

/** RFC 5321's dot-string of atoms, with RFC 6531's letters of every script; a quoted string is refused. */
const atom = `(${letter}|[!#$%&'*+\\-/=?^_\`{|}~])+`;
const localPattern = new RegExp(`^${atom}(\\.${atom})*$`, 'u');

/** As people write it: a hyphen neither starts nor ends a label, which is hidden in the ASCII form of `õun-.ee`. */
const unicodeLabel = `(${letter})+(-+(${letter})+)*`;
const unicodePattern = new RegExp(`^${unicodeLabel}(\\.${unicodeLabel})+$`, 'u');

/** Host names (RFC 1123) below a top-level domain of letters or in punycode. */
const asciiPattern = /^([A-Za-z\d-]{1,63}\.)+([A-Za-z]{2,63}|xn--[A-Za-z\d-]{1,59})$/;

/** Whether it is an email address with a domain name, internationalised or not. */
export function isEmail(text: string): boolean {
  const [local, domain, ...rest] = text.split('@');
  if (local === undefined || domain === undefined || rest.length > 0) return false;
  return (
    localPattern.test(local) &&
    unicodePattern.test(domain) &&
    asciiPattern.test(punycode.toASCII(domain))
  );
}
