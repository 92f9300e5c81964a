import type { Database } from '../../../base/database/open.ts';
import { orRefusal, RegistryError } from '../../../base/error.ts';
import {
  type DomainName,
  faultSentence,
  lowerCase,
  maximumNameOctets,
  readDomainName,
  readHostName,
} from '../../../base/text/domain-name.ts';
import { nfc } from '../../../base/text/nfc.ts';
import { listNewestEntries, meets } from '../../../change/history/operator/search.ts';
import { domainNameOf, invalidName } from '../../name.ts';

/** Requires the form of the database: Unicode, lower case, NFC. Throws `invalid` with the fault and the right form. */
export function parseDomainName(text: string): DomainName {
  const read = readDomainName(text);
  if (!read.domain) throw invalidName(text, faultSentence(text, read.fault));
  const { name } = read.domain;
  if (text === name) return read.domain;
  const written = JSON.stringify(name);
  if (text !== lowerCase(text)) {
    throw invalidName(text, `contains capital letters; write ${written}`);
  }
  if (text === nfc(text, maximumNameOctets)) {
    throw invalidName(text, `is in punycode; write its Unicode form, ${written}`);
  }
  throw invalidName(text, 'is not in Unicode normalisation form C');
}

/**
 * Reads a name in any spelling. Accepts a name that only an earlier release took if the history has it. Throws
 * `invalid`.
 */
export async function findDomainName(db: Database, text: string): Promise<DomainName> {
  const name = orRefusal(() => domainNameOf(text));
  if (!(name instanceof RegistryError)) return name;
  const { domain } = readHostName(text.trim());
  const entries = domain ? await listNewestEntries(db, meets({ key: domain.name }), 1) : [];
  if (domain && entries.length > 0) return domain;
  throw name;
}

/** The subjects of the history whose key is a name. */
export const nameSubjects = ['domain', 'retained_domain', 'dispute', 'auction'] as const;

/** Returns the names above this one, the nearest first, without the top-level domain. */
export function namesAbove(name: string): string[] {
  const labels = name.split('.');
  return labels.slice(1, -1).map((_, index) => labels.slice(index + 1).join('.'));
}

/** For a name on record, which is not judged again. */
export const recordedName = (name: string): DomainName => readHostName(name).domain!;
