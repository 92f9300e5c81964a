import fc from 'fast-check';
import { expect, test } from 'vitest';
import { currentTime } from '../../src/base/time/clock.ts';
import type { Contact } from '../../src/contact/contact.ts';
import { invalidValues } from '../../src/contact/invalid.ts';
import { createBody } from '../../src/worker/http/registrar/contacts.ts';

const text = fc.constantFrom(
  ...[
    '',
    ' ',
    'Mari',
    ' Mari\u00a0',
    '\u0007',
    '\u200b',
    'x'.repeat(300),
    'mari@example.ee',
    'mari@',
  ],
  ...[
    '+372.5123456',
    '+3725123456',
    'EE',
    'an',
    'fi',
    '38001085718',
    '38001085719',
    '12345678',
    '2001-02-29',
  ],
);
const optional = fc.option(text);

const record = fc.record({
  name: text,
  email: text,
  phone: text,
  ident: text,
  identType: fc.oneof(text, fc.constantFrom('priv', 'org', 'birthday')),
  identCountryCode: text,
  authInfo: text,
  fax: optional,
  orgName: optional,
  street: optional,
  city: optional,
  zip: optional,
  state: optional,
  countryCode: optional,
});

test('a contact’s invalid values are those for which its creation would be refused', () => {
  fc.assert(
    fc.property(record, (values) => {
      const contact = { ...values, disclosedAttributes: [] as string[] } as Contact;
      const { ident, identType, identCountryCode } = values;
      const { error } = createBody().safeParse({
        contact: {
          ...{ name: values.name, email: values.email, phone: values.phone, fax: values.fax },
          ident: { ident, ident_type: identType, ident_country_code: identCountryCode },
          ...{ org_name: values.orgName, auth_info: values.authInfo },
          addr: {
            ...{ street: values.street, city: values.city, zip: values.zip },
            ...{ state: values.state, country_code: values.countryCode },
          },
        },
      });
      const refused = error?.issues.map(({ path, message }) => ({ field: path.at(-1), message }));
      const invalid = invalidValues(contact, currentTime());
      expect(new Set(invalid.map(({ field, message }) => ({ field, message })))).toEqual(
        new Set(refused ?? []),
      );
    }),
    { numRuns: 1_000 },
  );
});

test('a type of identity and an attribute that are unknown today are invalid', () => {
  const contact = {
    ...{ name: 'Mari', email: 'mari@example.ee', phone: '+372.5123456' },
    ...{ ident: 'A1', identType: 'passport', identCountryCode: 'EE' },
    disclosedAttributes: ['phone'],
  } as Contact;
  expect(invalidValues(contact, currentTime())).toEqual([
    {
      ...{ reason: 'invalid', message: 'Ident type is invalid', field: 'ident_type' },
      ...{ detail: 'Expected: one of priv, org, birthday.', value: 'passport' },
    },
    {
      ...{ reason: 'invalid', message: 'is not included in the list' },
      ...{ field: 'disclosed_attributes', value: ['phone'] },
      detail: 'Expected: a list, each one of name, email.',
    },
  ]);
});
