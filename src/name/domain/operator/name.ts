import { nfc } from '../../../base/text/nfc.ts';
import {
  type DomainName,
  invalidName,
  maximumNameOctets,
  nameFaults,
  readDomainName,
} from '../name.ts';

/**
 * Requires the form in which the registry keeps names: Unicode, lower case and NFC. Throws `invalid`, with what is
 * wrong and how to write it instead.
 */
export function parseDomainName(text: string): DomainName {
  const { domain, fault } = readDomainName(text);
  if (!domain) throw invalidName(text, nameFaults[fault]);
  const { name } = domain;
  if (text === name) return domain;
  const written = JSON.stringify(name);
  if (text !== text.toLowerCase()) {
    throw invalidName(text, `contains capital letters; write ${written}`);
  }
  if (text === nfc(text, maximumNameOctets)) {
    throw invalidName(text, `is in punycode; write its Unicode form, ${written}`);
  }
  throw invalidName(text, 'is not in Unicode normalisation form C');
}
