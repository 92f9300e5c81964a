import { expect, test } from 'vitest';
import { identityProblem } from '../../src/contact/identity.ts';
import { isSameIdentityCode } from '../../src/contact/identity-code.ts';

const now = new Date('2026-11-21T12:00:00Z');
const problem = (identType: 'priv' | 'org' | 'birthday', identCountryCode: string, ident: string) =>
  identityProblem({ identType, identCountryCode, ident }, now);

const nonconforming = {
  reason: 'identity_invalid',
  message: 'Ident code does not conform to national identification number format of Estonia',
  field: 'ident',
  detail: expect.stringMatching(/^Expected: for Estonia, (a personal code of eleven|eight digits)/),
};

test.each([
  ['EE', '38001085718'],
  ['EE', '60001019906'],
  ['FI', '131052-308T'],
  ['LT', '38703181745'],
  ['LV', '161175-19997'],
  ['LV', '16117519997'],
  ['LV', '32000112345'],
  ['FI', 'PASSPORT 123456'],
  ['LT', '38703181746'],
  ['DE', 'C01X00T47'],
  ['AQ', 'anything'],
])('accepts a personal code of %s: %s', (country, code) => {
  expect(problem('priv', country, code)).toBeUndefined();
});

test.each([
  '38001085719',
  '3800108571',
  '380010857180',
  '38013085710',
  '08001085712',
  '98001085718',
  '380 0108 5718',
  '380-0108-5718',
  '38001085718 ',
  '٣٨٠٠١٠٨٥٧١٨',
  'passport',
])('refuses the Estonian personal code %j', (code) => {
  expect(problem('priv', 'EE', code)).toEqual(nonconforming);
});

/** An Estonian code of these ten digits with its check digit (weights of EVS 585:2007). */
function withCheckDigit(digits: string): string {
  const weighted = (weights: string) =>
    [...weights].reduce((sum, weight, n) => sum + Number(weight) * Number(digits[n]), 0) % 11;
  const [first, second] = [weighted('1234567891'), weighted('3456789123')];
  return digits + (first < 10 ? first : second % 10);
}

test('refuses an Estonian code whose day does not exist, even with the right check digit', () => {
  expect(problem('priv', 'EE', withCheckDigit('3800228571'))).toBeUndefined();
  expect(problem('priv', 'EE', withCheckDigit('3800229571'))).toBeUndefined();
  expect(problem('priv', 'EE', withCheckDigit('3800230571'))).toEqual(nonconforming);
  expect(problem('priv', 'EE', withCheckDigit('3810229571'))).toEqual(nonconforming);
  expect(problem('priv', 'EE', withCheckDigit('3800431571'))).toEqual(nonconforming);
  // 1900 was not a leap year; 2000 was.
  expect(problem('priv', 'EE', withCheckDigit('3000229571'))).toEqual(nonconforming);
  expect(problem('priv', 'EE', withCheckDigit('5000229571'))).toBeUndefined();
});

test.each([
  ['EE', '12345678'],
  ['DE', 'HRB 1234'],
])('accepts an organisation of %s: %s', (country, code) => {
  expect(problem('org', country, code)).toBeUndefined();
});

test.each(['1234567', '123456789', '1234567A'])('refuses the Estonian organisation %j', (code) => {
  expect(problem('org', 'EE', code)).toEqual(nonconforming);
});

test.each([
  ['priv', '38001\u200b085718', 'It contains an invisible character (U+200B).'],
  ['org', '1234\u00a05678', 'It contains an invisible character (U+00A0).'],
  ['org', '12345678\n', 'It contains a line break.'],
  ['birthday', '1980-01-08\u202c', 'It contains an invisible character (U+202C).'],
] as const)('names what nobody sees in the %s %j', (type, code, detail) => {
  expect(problem(type, 'EE', code)).toMatchObject({ detail });
});

test.each(['1876-11-21', '1980-02-29', '2026-11-21'])('accepts the birthday %s', (code) => {
  expect(problem('birthday', 'US', code)).toBeUndefined();
});

test.each([
  '1876-11-20',
  '2026-11-22',
  '1981-02-29',
  '1980-13-01',
  '1980-1-8',
  '19800108',
  '1980-01-08T00:00',
  '08.01.1980',
  '',
])('refuses the birthday %j', (code) => {
  expect(problem('birthday', 'US', code)).toEqual({
    reason: 'invalid',
    message: 'Ident birthday is invalid',
    field: 'ident',
    detail: 'Expected: a date within the last 150 years, `YYYY-MM-DD`.',
  });
});

test.each([
  ['131052-308T', '131052308t'],
  ['161175-19997', '16117519997'],
  ['AB 123.456/7', 'ab1234567'],
  ['KD\u00a012\u20133', 'kd123'],
  ['131052+308T', ' 131052 +308t'],
  ['18180418+9817', '18180418+\u200b9817'],
  ['SE180418+9817', 'se 180418+9817'],
  ['+372 5123', '3725123'],
  ['131052++308T', '131052308T'],
  ['Õ1', 'õ-1'].map((code) => code.toUpperCase()) as [string, string],
])('treats %j and %j as one code', (one, other) => {
  expect(isSameIdentityCode(one, other)).toBe(true);
});

test.each([
  ['38001085718', '48001085718'],
  ['131052+308T', '131052-308T'],
  ['131052+308t', '131052308T'],
  ['180418+9817', '180418-9817'],
  ['18180418+9817', '181804189817'],
  ['SE180418+9817', 'SE180418-9817'],
  ['SE18180418+9817', 'SE181804189817'],
  ['A1', 'A11'],
  ['-', '.'],
  ['-', ''],
  ['Ж1', '1'],
  ['ß', 'SS'],
])('treats %j and %j as two codes', (one, other) => {
  expect(isSameIdentityCode(one, other)).toBe(false);
});
