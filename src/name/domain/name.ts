import { RegistryError } from '../../base/error.ts';
import { type DomainName, faultSentence, readDomainName } from '../../base/text/domain-name.ts';

export type { DomainName };

/** Takes any spelling, also with spaces around it. Throws `invalid` with the fault. */
export function domainNameOf(text: string): DomainName {
  const read = readDomainName(text.trim());
  if (read.domain) return read.domain;
  throw invalidName(text, faultSentence(text, read.fault));
}

/** Obstacles to a change of a name, in words for programs. */
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

/** `fault` follows the name. */
export function nameConflict(
  name: string,
  obstacle: NameObstacle,
  fault: string,
  field = 'name',
): RegistryError {
  const message = `${JSON.stringify(name)} ${fault}`;
  return new RegistryError([{ reason: 'conflict', message, field, obstacle }]);
}

export function invalidName(text: string, message: string): RegistryError {
  return new RegistryError('invalid', `${JSON.stringify(text)} ${message}`, 'name');
}
