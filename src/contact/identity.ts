import { personValidators } from 'stdnum';
import type { identityTypes } from '../../drizzle/schema.ts';
import { dayOf, isDay } from '../day.ts';
import type { Problem } from '../error.ts';
import { countryName } from './country.ts';

/** Who a contact is: a person or organisation of a country, by the country's own code or by a birthday. */
export interface Identity {
  code: string;
  type: (typeof identityTypes)[number];
  countryCode: string;
}

const oldestAgeYears = 150;

/**
 * What is wrong with an identity code for its type and country on the day of `now`, if anything is.
 * Personal codes are checked wherever the stdnum library knows the country's format.
 */
export function identityProblem(
  { code, type, countryCode }: Identity,
  now: Date,
): Problem | undefined {
  switch (type) {
    case 'priv':
      return isPersonalCode(code, countryCode) ? undefined : nonconforming(countryCode);
    case 'org':
      if (countryCode !== 'EE' || /^\d{8}$/.test(code)) return undefined;
      return nonconforming(countryCode);
    case 'birthday':
      if (isRecentDay(code, now)) return undefined;
      return { reason: 'invalid', message: 'Ident birthday is invalid', field: 'ident' };
  }
}

function nonconforming(countryCode: string): Problem {
  return {
    reason: 'identity_invalid',
    message: `Ident code does not conform to national identification number format of ${countryName(countryCode)}`,
    field: 'ident',
  };
}

function isPersonalCode(code: string, countryCode: string): boolean {
  const validators = personValidators[countryCode];
  if (!validators) return true;
  const isKnownForm = validators.some((validator) => {
    const result = validator.validate(code);
    if (!result.isValid) return false;
    // The library tolerates spaces and dashes anywhere; here a code is written without them, or as its country does.
    return code === result.compact || code === validator.format(result.compact);
  });
  return isKnownForm && (countryCode !== 'EE' || carriesDay(code));
}

/** The library checks the digits of an Estonian code, but lets 30 February be a birthday. */
function carriesDay(code: string): boolean {
  const century = 18 + Math.floor((Number(code[0]) - 1) / 2);
  return isDay(`${century}${code.slice(1, 3)}-${code.slice(3, 5)}-${code.slice(5, 7)}`);
}

function isRecentDay(text: string, now: Date): boolean {
  if (!isDay(text)) return false;
  const today = dayOf(now);
  const oldest = `${Number(today.slice(0, 4)) - oldestAgeYears}${today.slice(4)}`;
  return text >= oldest && text <= today;
}
