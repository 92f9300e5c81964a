import type { Problem } from '../base/error.ts';
import { unseenIn } from '../base/text/field.ts';
import { dayOf, isDay } from '../base/time/day.ts';
import type { ContactIdentity } from './fields.ts';

const oldestAgeYears = 150;

export const identityForms = {
  priv: 'for Estonia, a personal code of eleven digits with a valid check digit and date',
  org: 'for Estonia, eight digits',
  birthday: `a date within the last ${oldestAgeYears} years, \`YYYY-MM-DD\``,
};

/**
 * Checks an identity code by its type and country on the day of `now`. Only Estonia's formats are checked: no list of
 * formats covers every lawful code.
 */
export function identityProblem(
  { ident, identType, identCountryCode }: ContactIdentity,
  now: Date,
): Problem | undefined {
  switch (identType) {
    case 'priv':
      return identCountryCode !== 'EE' || isPersonalCode(ident)
        ? undefined
        : nonconforming(ident, 'priv');
    case 'org':
      return identCountryCode !== 'EE' || /^\d{8}$/.test(ident)
        ? undefined
        : nonconforming(ident, 'org');
    case 'birthday':
      return isRecentDay(ident, now)
        ? undefined
        : {
            reason: 'invalid',
            message: 'Ident birthday is invalid',
            field: 'ident',
            detail: detailOf(ident, 'birthday'),
          };
    default:
      return undefined;
  }
}

const nonconforming = (ident: string, type: 'priv' | 'org'): Problem => ({
  reason: 'identity_invalid',
  message: 'Ident code does not conform to national identification number format of Estonia',
  field: 'ident',
  detail: detailOf(ident, type),
});

function detailOf(ident: string, type: keyof typeof identityForms): string {
  const unseen = unseenIn(ident);
  return unseen ? `It ${unseen}.` : `Expected: ${identityForms[type]}.`;
}

/** An Estonian personal code (EVS 585:2007): a century and sex, a birthday, a serial number and a check digit. */
function isPersonalCode(code: string): boolean {
  if (!/^[1-8]\d{10}$/.test(code) || checkDigitOf(code) !== Number(code[10])) return false;
  const century = 18 + Math.floor((Number(code[0]) - 1) / 2);
  return isDay(`${century}${code.slice(1, 3)}-${code.slice(3, 5)}-${code.slice(5, 7)}`);
}

function checkDigitOf(code: string): number {
  const remainder = (weights: number[]) =>
    weights.reduce((sum, weight, position) => sum + weight * Number(code[position]), 0) % 11;
  const first = remainder([1, 2, 3, 4, 5, 6, 7, 8, 9, 1]);
  return first < 10 ? first : remainder([3, 4, 5, 6, 7, 8, 9, 1, 2, 3]) % 10;
}

function isRecentDay(text: string, now: Date): boolean {
  if (!isDay(text)) return false;
  const today = dayOf(now);
  const oldest = `${Number(today.slice(0, 4)) - oldestAgeYears}${today.slice(4)}`;
  return text >= oldest && text <= today;
}
