import punycode from 'punycode/punycode.js';
import { RegistryError } from '../../base/error.ts';
import { nfc } from '../../base/text/nfc.ts';

export interface DomainName {
  /** Unicode, lower case, NFC. */
  name: string;
  /** ASCII (RFC 3492). */
  punycode: string;
}

export const maximumNameOctets = 253;
const maximumLabelOctets = 63;

/** Why a text is not a domain name, in words that follow the text. */
export const nameFaults = {
  invisible: 'contains white space or a control character',
  finalDot: 'ends with a dot; leave it out',
  emptyLabel: 'has two dots in a row, or starts with a dot',
  noDot: 'has no dot: a name is registered below a top-level domain',
  malformedPunycode: 'contains malformed punycode',
  underscore: 'contains an underscore, which host names cannot',
  character: 'contains a character that host names cannot',
  outerHyphen: 'has a part that starts or ends with a hyphen',
  combiningMark: 'has a part that starts with a combining mark',
  innerHyphens: 'has a part with hyphens as its third and fourth characters',
  digits: 'ends in digits only',
  longLabel: `has a part of more than ${maximumLabelOctets} characters in punycode`,
  longName: `has more than ${maximumNameOctets} characters in punycode`,
};
export type NameFault = keyof typeof nameFaults;

export type ReadName =
  | { domain: DomainName; fault?: undefined }
  | { domain?: undefined; fault: NameFault };

/** Reads a host name (RFC 1123, RFC 5891) in any spelling: Unicode or punycode, in either case. */
export function readDomainName(text: string): ReadName {
  if (/[\p{Cc}\p{Cs}\s]/u.test(text)) return { fault: 'invisible' };
  if (text.endsWith('.')) return { fault: 'finalDot' };
  if (text === '') return { fault: 'noDot' };
  const labels = text.toLowerCase().split('.').map(normalised).map(decoded);
  const fault = labels.map(findLabelFault).find((found) => found !== undefined);
  if (fault) return { fault };
  if (labels.length < 2) return { fault: 'noDot' };
  const name = labels.join('.');
  // RFC 3696, section 2: otherwise an IPv4 address would be a name.
  if (/\.\d+$/.test(name)) return { fault: 'digits' };
  const ascii = punycode.toASCII(name);
  if (ascii.split('.').some((label) => label.length > maximumLabelOctets)) {
    return { fault: 'longLabel' };
  }
  if (ascii.length > maximumNameOctets) return { fault: 'longName' };
  return { domain: { name, punycode: ascii } };
}

/** Any spelling will do, also with spaces around it. Throws `invalid`, with what is wrong. */
export function domainNameOf(text: string): DomainName {
  const { domain, fault } = readDomainName(text.trim());
  if (domain) return domain;
  throw invalidName(text, nameFaults[fault]);
}

/** What stands in the way of what is to be done with a name, in words for programs. */
export const nameObstacles = [
  'registered',
  'blocked',
  'disputed',
  'reserved',
  'in_auction',
  'awaiting_payment',
  'paid',
  'code_missing',
  'code_wrong',
  'code_late',
  'password_missing',
  'password_wrong',
  'not_in_progress',
  'changed',
  'late',
  'not_yours',
  'too_many',
] as const;

export type NameObstacle = (typeof nameObstacles)[number];

/** The words follow the name. */
export function nameConflict(
  name: string,
  obstacle: NameObstacle,
  what: string,
  field = 'name',
): RegistryError {
  const message = `${JSON.stringify(name)} ${what}`;
  return new RegistryError([{ reason: 'conflict', message, field, obstacle }]);
}

export function invalidName(text: string, message: string): RegistryError {
  return new RegistryError('invalid', `${JSON.stringify(text)} ${message}`, 'name');
}

/** In lower case; a label that is too long in any form is not normalised. */
const normalised = (label: string) => nfc(label, maximumLabelOctets) ?? label;

/** A label that is not valid punycode stays as it is. */
function decoded(label: string): string {
  if (!isPunycode(label) || label.length > maximumLabelOctets) return label;
  try {
    const unicode = punycode.toUnicode(label);
    const isItsOwn =
      unicode === normalised(unicode.toLowerCase()) && punycode.toASCII(unicode) === label;
    return isItsOwn && !findLabelFault(unicode) ? unicode : label;
  } catch {
    return label;
  }
}

const isPunycode = (label: string) => label.startsWith('xn--');

/** Judges a label that is in lower case and, if possible, decoded. */
function findLabelFault(label: string): NameFault | undefined {
  if (label === '') return 'emptyLabel';
  if (label.includes('_')) return 'underscore';
  // RFC 5892, section 2.6: some letters and marks are invisible.
  if (!/^[\p{L}\p{M}\p{N}-]+$/u.test(label) || /\p{Default_Ignorable_Code_Point}/u.test(label)) {
    return 'character';
  }
  // No octet stands for more than two code units. To encode thousands of them would take seconds.
  if (label.length > 2 * maximumLabelOctets) return 'longLabel';
  if (isPunycode(label)) return 'malformedPunycode';
  if (label.startsWith('-') || label.endsWith('-')) return 'outerHyphen';
  // RFC 5891, section 4.2.3.2: it would combine with the dot before it.
  if (/^\p{M}/u.test(label)) return 'combiningMark';
  // RFC 5891, section 4.2.3.1: reserved for encodings such as punycode itself.
  if (label.slice(2, 4) === '--') return 'innerHyphens';
  return undefined;
}
