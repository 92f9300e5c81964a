import { expect, test } from 'vitest';
import { contactFields } from '../../src/contact/fields.ts';

const accepts = (field: keyof typeof contactFields, value: unknown) =>
  contactFields[field].safeParse(value).success;

test.each([
  ['name', 255],
  ['orgName', 255],
  ['street', 255],
  ['city', 255],
  ['state', 255],
  ['authInfo', 255],
  ['zip', 16],
  ['identCode', 64],
] as const)('takes a %s of %i characters, whatever they are, and not one more', (field, limit) => {
  for (const character of ['x', 'õ', '😀']) {
    expect(accepts(field, character.repeat(limit))).toBe(true);
    expect(accepts(field, character.repeat(limit + 1))).toBe(false);
  }
});

test.each(['+1.2', '+372.5123456', '+999.12345678901234', '+001.1', '+372.05'])(
  'takes the phone number %s',
  (phone) => {
    expect(accepts('phone', phone)).toBe(true);
    expect(accepts('fax', phone)).toBe(true);
  },
);

test.each([
  'mari.maasikas+registry@example.ee',
  'mari@mail.example.ee',
  "o'neill@example.ie",
  'mari@õun.ee',
  'mari@пример.рф',
])('takes the address %s', (email) => {
  expect(accepts('email', email)).toBe(true);
});

test.each(['\u0000', '\u0007', 'a\u001fb', 'a\u007fb', 'a\u009fb', 'a\nb', '\ud800', 'a\udc00b'])(
  'refuses a name with the control character or lone surrogate in %j',
  (name) => {
    expect(accepts('name', name)).toBe(false);
  },
);
