import punycode from 'punycode/punycode.js';

/** Any script's letters, marks and digits, except those that Unicode lets fonts leave out. */
const letter = '(?!\\p{Default_Ignorable_Code_Point})[\\p{L}\\p{M}\\p{N}]';

/** RFC 5321's dot-string of atoms, with RFC 6531's letters of every script. Quoted strings are refused. */
const atom = `(${letter}|[!#$%&'*+\\-/=?^_\`{|}~])+`;
const localPattern = new RegExp(`^${atom}(\\.${atom})*$`, 'u');

/** A domain name as people write it. No label begins or ends with a hyphen, which punycode would hide in `õun-.ee`. */
const unicodeLabel = `(${letter})+(-+(${letter})+)*`;
const unicodePattern = new RegExp(`^${unicodeLabel}(\\.${unicodeLabel})+$`, 'u');

/** A host name (RFC 1123) under a top-level domain that consists of letters or is in punycode. */
const asciiPattern = /^([A-Za-z\d-]{1,63}\.)+([A-Za-z]{2,63}|xn--[A-Za-z\d-]{1,59})$/;

/** The domain name may be internationalised. */
export function isEmail(text: string): boolean {
  const [local, domain, ...rest] = text.split('@');
  if (local === undefined || domain === undefined || rest.length > 0) return false;
  return (
    localPattern.test(local) &&
    unicodePattern.test(domain) &&
    asciiPattern.test(punycode.toASCII(domain))
  );
}
