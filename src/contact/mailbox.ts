import punycode from 'punycode/punycode.js';
import { asciiUpperCase } from '../base/text/ascii-case.ts';
import { lowerCase } from '../base/text/domain-name.ts';

/**
 * Returns the key by which mailboxes are compared (`email_key`): the local part in lower case, and the domain's labels
 * in punycode, because IDNA 2008 distinguishes ß from ss. Only ASCII letters are in upper case, as the database checks.
 * A rule must have bounded the length. Migrations do the same in SQL.
 */
export function mailboxKey(email: string): string {
  const text = lowerCase(email.normalize('NFC'));
  const start = text.lastIndexOf('@') + 1;
  const labels = text.slice(start).split('.');
  return asciiUpperCase(text.slice(0, start) + labels.map(asciiLabel).join('.'));
}

const asciiLabel = (label: string) =>
  /^[ -~]*$/.test(label) ? label : `xn--${punycode.encode(label)}`;
