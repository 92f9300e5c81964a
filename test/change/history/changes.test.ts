import { expect, test } from 'vitest';
import { changesRepresentation, difference } from '../../../src/change/history/changes.ts';

test('tells what differs, and nothing of what stays or was not given', () => {
  expect(
    difference(
      { name: 'Mari', city: 'Tartu', fax: '+372.6123456', state: null, disclosed: ['name'] },
      { name: 'Mari', city: 'Tallinn', fax: null, state: undefined, disclosed: ['name'] },
    ),
  ).toEqual({
    city: { from: 'Tartu', to: 'Tallinn' },
    fax: { from: '+372.6123456', to: null },
  });
});

test('compares lists by their content', () => {
  expect(difference({ statuses: ['a'] }, { statuses: ['a'] })).toEqual({});
  expect(difference({ statuses: ['a'] }, { statuses: [] })).toEqual({
    statuses: { from: ['a'], to: [] },
  });
});

test('records null as the earlier value of a new field', () => {
  expect(difference({}, { name: 'Mari', fax: null })).toEqual({
    name: { from: null, to: 'Mari' },
  });
});

test.each(['authInfo', 'registrationCode', 'secretDigest', 'password', 'passwordHash'])(
  'tells of %s that it changed, and no value',
  (field) => {
    expect(difference({ [field]: 'before' }, { [field]: 'after' })).toEqual({
      [field]: { redacted: true },
    });
  },
);

test('shows changes under the names of the wire, and no key of an identity code', () => {
  expect(
    changesRepresentation({
      ident: { from: '38001085718', to: null, key: '38001085718' },
      identCountryCode: { from: 'EE', to: null },
      authInfo: { redacted: true },
    }),
  ).toEqual({
    ident: { from: '38001085718', to: null },
    ident_country_code: { from: 'EE', to: null },
    auth_info: { redacted: true },
  });
});
