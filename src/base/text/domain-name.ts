import punycode from 'punycode/punycode.js';
import { unseenIn } from './field.ts';
import { nfc, unitsPerCharacter } from './nfc.ts';

export interface DomainName {
  /** Unicode, lower case, NFC. */
  name: string;
  /** ASCII (RFC 3492). */
  punycode: string;
}

export const maximumNameOctets = 253;
export const maximumLabelOctets = 63;

/** Why a text is no domain name, in phrases to follow the text. */
export const nameFaults = {
  invisible: 'contains white space or a control character',
  finalDot: 'ends with a dot; leave it out',
  emptyLabel: 'has two dots in a row, or starts with a dot',
  noDot: 'has no dot: a name is registered below a top-level domain',
  malformedPunycode: 'contains malformed punycode',
  underscore: 'contains an underscore, which is not allowed',
  character: 'contains a character that is not allowed',
  outerHyphen: 'has a part that starts or ends with a hyphen',
  combiningMark: 'has a part that starts with a combining mark',
  innerHyphens: 'has a part with hyphens as its third and fourth characters',
  direction: 'mixes right-to-left scripts with others (RFC 5893)',
  digits: 'ends in a number',
  longLabel: `has a part of more than ${maximumLabelOctets} characters in punycode`,
  longName: `has more than ${maximumNameOctets} characters in punycode`,
};
export type NameFault = keyof typeof nameFaults;

type ReadName =
  | { domain: DomainName; fault?: undefined }
  | { domain?: undefined; fault: NameFault };

/** Reads a domain name (IDNA 2008: RFC 5890 to 5893) in any spelling: Unicode or punycode, in either case. */
export function readDomainName(text: string): ReadName {
  const read = readHostName(text);
  const fault = read.domain && findIdnaFault(read.domain);
  return fault ? { fault } : read;
}

/** Describes the fault, to stand after the text, and suggests the name that a browser opens. */
export function faultSentence(text: string, fault: NameFault): string {
  const suggestion = nameOpenedFor(text);
  return (
    (unseenIn(text.trim()) ?? nameFaults[fault]) +
    (suggestion ? `. Did you mean ${JSON.stringify(suggestion.name)}?` : '')
  );
}

export const nameOpenedFor = (text: string) => readDomainName(hostOpenedFor(text) ?? '').domain;

/**
 * Returns the host that a browser opens for the text, in punycode by UTS 46. The text may be a web or e-mail address.
 * Undefined if there is none.
 */
function hostOpenedFor(text: string): string | undefined {
  if (text.length > unitsPerCharacter * maximumNameOctets) return undefined;
  const address = `http://${text.replace(/^[a-z][a-z\d+.-]*:\/\//i, '')}`;
  return URL.parse(address)?.hostname;
}

/** Returns the host of a web or e-mail address, and any other text unchanged. */
export function hostWithin(text: string): string {
  return (/[/\\:@?#]/.test(text) && hostOpenedFor(text)) || text;
}

/**
 * Reads a host name of letters, marks and numbers of any script, because a registry may have older names that IDNA 2008
 * does not allow.
 */
export function readHostName(text: string): ReadName {
  if (/[\p{Cc}\p{Cs}\s]/u.test(text)) return { fault: 'invisible' };
  if (text.endsWith('.')) return { fault: 'finalDot' };
  if (text === '') return { fault: 'noDot' };
  const labels = lowerCase(text).split('.').map(normalised).map(decoded);
  const fault = labels.map(findLabelFault).find((value) => value !== undefined);
  if (fault) return { fault };
  if (labels.length < 2) return { fault: 'noDot' };
  const name = labels.join('.');
  // IPv4 addresses are not domain names (RFC 3696, section 2; https://url.spec.whatwg.org/#ends-in-a-number-checker).
  if (/\.(\d+|0x[\da-f]*)$/.test(name)) return { fault: 'digits' };
  const ascii = punycode.toASCII(name);
  if (ascii.split('.').some((label) => label.length > maximumLabelOctets)) {
    return { fault: 'longLabel' };
  }
  if (ascii.length > maximumNameOctets) return { fault: 'longName' };
  return { domain: { name, punycode: ascii } };
}

/** UTS 46 turns every Σ into σ. `toLowerCase` turns one at the end of a word into ς. */
export const lowerCase = (text: string) => text.replaceAll('Σ', 'σ').toLowerCase();

/** Leaves a label alone if every form of it is too long. */
const normalised = (label: string) => nfc(label, maximumLabelOctets) ?? label;

/** A label that is not valid punycode stays as it is. */
function decoded(label: string): string {
  if (!isPunycode(label) || label.length > maximumLabelOctets) return label;
  try {
    const unicode = punycode.toUnicode(label);
    const isCanonical =
      unicode === normalised(lowerCase(unicode)) && punycode.toASCII(unicode) === label;
    return isCanonical && !findLabelFault(unicode) ? unicode : label;
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
  // An octet encodes at most two code units. Encoding thousands of them would take seconds.
  if (label.length > 2 * maximumLabelOctets) return 'longLabel';
  if (isPunycode(label)) return 'malformedPunycode';
  if (label.startsWith('-') || label.endsWith('-')) return 'outerHyphen';
  // RFC 5891, section 4.2.3.2: it would combine with the dot before it.
  if (/^\p{M}/u.test(label)) return 'combiningMark';
  // RFC 5891, section 4.2.3.1: reserved for encodings such as punycode itself.
  if (/^..--/u.test(label)) return 'innerHyphens';
  return undefined;
}

/**
 * Characters that RFC 5892 excludes: by exception (section 2.6) or context (appendix A), in blocks of symbols (2.5),
 * and as old Hangul (2.9).
 */
const excluded = new RegExp(
  '[\\u0640\\u0660-\\u0669\\u06f0-\\u06f9\\u07fa\\u1100-\\u11ff\\u20d0-\\u20ff\\u302e\\u302f\\u3031-\\u3035\\u303b' +
    '\\ua960-\\ua97f\\ud7b0-\\ud7ff\\u{1d100}-\\u{1d24f}]',
  'u',
);

/** All right-to-left letters are in these blocks (DerivedBidiClass.txt). */
const rightToLeft = '\\u0590-\\u08ff\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}';
const hasFromRight = new RegExp(`[${rightToLeft}]`, 'u');
/**
 * A valid label of a name with such letters (RFC 5893, section 2). Excludes modifiers, which have no direction. Marks
 * may follow the last letter or digit, but no hyphen (rules 3 and 6).
 */
const bidiLabel = new RegExp(
  `^(?!.*-\\p{Mn}+$)((?=\\p{L})[${rightToLeft}\\p{Mn}\\d-]+|(?=[\\p{Ll}\\p{Lo}])[^${rightToLeft}\\p{Lm}]+)$`,
  'u',
);

/** Judges a host name by IDNA 2008. The platform's URL parser must not map it to another name. */
function findIdnaFault({ name, punycode: ascii }: DomainName): NameFault | undefined {
  if (name === ascii) return undefined;
  if (excluded.test(name) || /[^\p{L}\p{Mn}\p{Mc}\p{Nd}.-]/u.test(name)) return 'character';
  if (name !== name.normalize('NFKC')) return 'character';
  const obeysBidiRule = (label: string) => bidiLabel.test(label);
  if (hasFromRight.test(name) && !name.split('.').every(obeysBidiRule)) return 'direction';
  return hostOpenedFor(name) === ascii ? undefined : 'character';
}
