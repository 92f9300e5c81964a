import { RegistryError } from '../base/error.ts';
import { type DomainName, faultSentence, readDomainName } from '../base/text/domain-name.ts';

export type { DomainName };

/** Takes any spelling, also with spaces around it. Throws `invalid` with the fault. */
export function domainNameOf(text: string): DomainName {
  const read = readDomainName(text.trim());
  if (read.domain) return read.domain;
  throw invalidName(text, faultSentence(text, read.fault));
}

/** Obstacles to a change of a name: for programs, and for people as words after the name. */
const nameObstacles = {
  registered: 'is a registered domain',
  blocked: 'is blocked',
  disputed: 'is disputed',
  dispute_password_missing: 'is disputed: the password of the dispute is missing',
  dispute_password_wrong: 'is disputed: this is not the password of the dispute',
  reserved: 'is reserved',
  in_auction: 'is in auction',
  awaiting_payment: 'has an auction that awaits payment',
  paid: 'has a paid auction',
  code_missing: 'has been won in an auction: the registration code of its auction is missing',
  code_wrong: 'has been won in an auction: this is not the registration code of its auction',
  code_late: 'had to be registered earlier with this code',
  password_missing: 'is reserved: its password is missing',
  password_wrong: 'is reserved: this is not its password',
  not_in_progress: 'is not in auction',
  changed: 'has changed since its registration',
  late: 'was not registered by this interface in the last 24 hours',
  not_yours: 'was registered by another system',
  too_many: 'has too many contacts of other registrars',
} as const;

export type NameObstacle = keyof typeof nameObstacles;

export function obstacleSentence(
  name: string,
  obstacle: NameObstacle,
  fault: string = nameObstacles[obstacle],
): string {
  return `${JSON.stringify(name)} ${fault}`;
}

/** `fault` says more than the words of the obstacle. */
export function nameConflict(
  name: string,
  obstacle: NameObstacle,
  field = 'name',
  fault?: string,
): RegistryError {
  const message = obstacleSentence(name, obstacle, fault);
  return new RegistryError([{ reason: 'conflict', message, field, obstacle }]);
}

export function invalidName(text: string, message: string): RegistryError {
  const problem = `${JSON.stringify(text)} ${message}`;
  return new RegistryError([
    { reason: 'invalid', message: problem, field: 'name', obstacle: 'invalid_name' },
  ]);
}
