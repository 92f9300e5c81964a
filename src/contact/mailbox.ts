import punycode from 'punycode/punycode.js';
import { lowerCase, readHostName } from '../base/text/domain-name.ts';
import { searchKey } from '../base/text/search-key.ts';

/*
 * A mailbox has many addresses: its domain in Unicode or punycode, in either case. Addresses are stored as sent and
 * compared here.
 */

/** The local part is case-sensitive (RFC 5321, section 2.4). */
export function isSameMailbox(first: string, second: string): boolean {
  return unicodeForm(first) === unicodeForm(second);
}

function unicodeForm(email: string): string {
  const [local, labels] = partsOf(email);
  return local + labels.join('.');
}

/** Returns the labels of the domain in Unicode and lower case. An invalid domain is only put into lower case. */
function partsOf(email: string): [local: string, labels: string[]] {
  const start = email.lastIndexOf('@') + 1;
  const given = email.slice(start);
  const domain = readHostName(given).domain?.name ?? lowerCase(given);
  return [email.slice(0, start), domain.split('.')];
}

/** With more international labels, a search tries only all Unicode and all punycode. */
const mixedLabels = 4;

/** Returns the search keys of a mailbox's addresses, ignoring the case of the local part. */
export function emailKeys(email: string): string[] {
  const [local, labels] = partsOf(email);
  const spellings = labels.map((label) => {
    const ascii = punycode.toASCII(label);
    return ascii === label ? [label] : [label, ascii];
  });
  const isMixed = spellings.filter(({ length }) => length > 1).length <= mixedLabels;
  const domains = isMixed
    ? spellings.reduce(
        (heads, label) => heads.flatMap((head) => label.map((spelling) => `${head}.${spelling}`)),
        [''],
      )
    : [0, -1].map((index) => spellings.map((label) => `.${label.at(index)}`).join(''));
  return domains.map((domain) => searchKey(local + domain.slice(1)));
}
