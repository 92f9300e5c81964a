import { asciiUpperCase } from '../../base/text/ascii-case.ts';
import { lowerCase, readHostName } from '../../base/text/domain-name.ts';
import { mailboxKey } from '../mailbox.ts';

/** Returns spellings of a mailbox in ASCII upper case, for addresses in the history, which have no key. */
export function mailboxSpellings(email: string): string[] {
  const start = email.lastIndexOf('@') + 1;
  const domain = email.slice(start);
  const unicode = lowerCase(email.slice(0, start) + (readHostName(domain).domain?.name ?? domain));
  return [mailboxKey(email), asciiUpperCase(unicode), unicode.toUpperCase()];
}
