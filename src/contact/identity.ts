// The package's own entry brings the formats of a hundred countries along.
import { validate } from 'stdnum/lib/cjs/ee/ik.js';
import type { identityTypes } from '../../drizzle/schema.ts';
import { dayOf, isDay } from '../day.ts';
import type { Problem } from '../error.ts';

/** Who a contact is: a person or organisation of a country, by the country's own code or by a birthday. */
export interface Identity {
  code: string;
  type: (typeof identityTypes)[number];
  countryCode: string;
}

const oldestAgeYears = 150;

/**
 * What is wrong with an identity code for its type and country on the day of `now`, if anything is. Only Estonia's
 * formats are checked: a foreigner may come with a passport, and there are lawful codes that no list of formats knows.
 */
export function identityProblem(
  { code, type, countryCode }: Identity,
  now: Date,
): Problem | undefined {
  switch (type) {
    case 'priv':
      return countryCode !== 'EE' || isPersonalCode(code) ? undefined : nonconforming;
    case 'org':
      return countryCode !== 'EE' || /^\d{8}$/.test(code) ? undefined : nonconforming;
    case 'birthday':
      return isRecentDay(code, now)
        ? undefined
        : { reason: 'invalid', message: 'Ident birthday is invalid', field: 'ident' };
  }
}

const nonconforming: Problem = {
  reason: 'identity_invalid',
  message: 'Ident code does not conform to national identification number format of Estonia',
  field: 'ident',
};

/** An Estonian personal code (EVS 585:2007). The library checks its check digit, but lets 30 February be a birthday. */
function isPersonalCode(code: string): boolean {
  if (!/^[1-8]\d{10}$/.test(code) || !validate(code).isValid) return false;
  const century = 18 + Math.floor((Number(code[0]) - 1) / 2);
  return isDay(`${century}${code.slice(1, 3)}-${code.slice(3, 5)}-${code.slice(5, 7)}`);
}

function isRecentDay(text: string, now: Date): boolean {
  if (!isDay(text)) return false;
  const today = dayOf(now);
  const oldest = `${Number(today.slice(0, 4)) - oldestAgeYears}${today.slice(4)}`;
  return text >= oldest && text <= today;
}
