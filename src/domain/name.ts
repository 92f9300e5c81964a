import punycode from 'punycode/punycode.js';
import { RegistryError } from '../error.ts';

/** A domain name in both of its forms. */
export interface DomainName {
  /** Unicode, lower case, NFC. */
  name: string;
  /** ASCII (RFC 3492). */
  punycode: string;
}

const maximumNameOctets = 253;
const maximumLabelOctets = 63;

/**
 * Reads a domain name as the registry keeps it. Throws `invalid`, with what is wrong and how to write it instead,
 * for a name that is not in its Unicode form, lower case and NFC, or is not a host name (RFC 1123, RFC 5891).
 */
export function parseDomainName(text: string): DomainName {
  const refuse = (message: string): never => {
    throw new RegistryError('invalid', `${JSON.stringify(text)} ${message}`, 'name');
  };
  if (text === '') refuse('is not a domain name: it is empty');
  if (/[\p{Cc}\p{Cs}\s]/u.test(text)) refuse('contains white space or a control character');
  if (text.endsWith('.')) refuse(`ends with a dot; write ${JSON.stringify(text.slice(0, -1))}`);
  const normal = text.normalize('NFC').toLowerCase();
  if (text !== text.toLowerCase())
    refuse(`contains capital letters; write ${JSON.stringify(normal)}`);
  if (text !== normal) refuse('is not in Unicode normalisation form C');
  const labels = text.split('.');
  if (labels.length < 2) refuse('has no dot: a name is registered below a top-level domain');
  if (labels.some((label) => label.startsWith('xn--'))) {
    refuse(`is in punycode; write its Unicode form${unicodeForm(text)}`);
  }
  for (const label of labels) checkLabel(label, refuse);
  // RFC 3696, section 2: otherwise an IPv4 address would be a name.
  if (/^\d+$/.test(labels.at(-1)!)) refuse('has a top-level domain of digits only');
  const ascii = punycode.toASCII(text);
  for (const label of ascii.split('.')) {
    if (label.length > maximumLabelOctets) {
      refuse(`has a label of ${label.length} octets; at most ${maximumLabelOctets} are allowed`);
    }
  }
  if (ascii.length > maximumNameOctets) {
    refuse(`has ${ascii.length} octets; at most ${maximumNameOctets} are allowed`);
  }
  return { name: text, punycode: ascii };
}

/**
 * Reads a domain name in any spelling: Unicode or punycode, in either case. Throws `invalid` as `parseDomainName` does,
 * and for punycode that stands for no such name.
 */
export function readDomainName(text: string): DomainName {
  const name = text.normalize('NFC').toLowerCase();
  if (!name.split('.').some((label) => label.startsWith('xn--'))) return parseDomainName(name);
  const unicode = decoded(name);
  const read = unicode === undefined ? undefined : parseDomainName(unicode);
  if (read?.punycode === name) return read;
  throw new RegistryError('invalid', `${JSON.stringify(text)} is not a domain name`, 'name');
}

function decoded(name: string): string | undefined {
  try {
    return punycode.toUnicode(name);
  } catch {
    return undefined;
  }
}

function checkLabel(label: string, refuse: (message: string) => never): void {
  if (label === '') refuse('has an empty label');
  if (label.includes('_')) refuse('contains an underscore, which host names cannot');
  // RFC 5892, section 2.6: some letters and marks are invisible.
  if (!/^[\p{L}\p{M}\p{N}-]+$/u.test(label) || /\p{Default_Ignorable_Code_Point}/u.test(label)) {
    refuse('contains a character that host names cannot');
  }
  if (label.startsWith('-') || label.endsWith('-')) {
    refuse('has a label that starts or ends with a hyphen');
  }
  // RFC 5891, section 4.2.3.2: it would combine with the dot before it.
  if (/^\p{M}/u.test(label)) refuse('has a label that starts with a combining mark');
  // RFC 5891, section 4.2.3.1: reserved for encodings such as punycode itself.
  if (label.slice(2, 4) === '--')
    refuse('has a label with hyphens as its third and fourth characters');
}

function unicodeForm(name: string): string {
  const unicode = decoded(name);
  return unicode === undefined ? '' : `, ${JSON.stringify(unicode)}`;
}
