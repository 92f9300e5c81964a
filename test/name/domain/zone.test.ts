import { expect, test } from 'vitest';
import { findOutside } from '../../../src/name/domain/zone.ts';

const zones = ['ee', 'com.ee', 'co.uk'];

test.each(['tallinn.ee', 'tallinn.com.ee', 'com.ee', 'co.uk'])(
  'takes %s for a name of the registry',
  (name) => {
    expect(findOutside(name, zones)).toBeUndefined();
  },
);

test.each(['free.com', 'free.uk', 'tallinnee.com', 'freeco.uk'])(
  'takes %s for a name of another registry',
  (name) => {
    expect(findOutside(name, zones)).toEqual({ zones });
  },
);

test.each([
  ['www.tallinn.ee', 'tallinn.ee'],
  ['a.b.tallinn.ee', 'tallinn.ee'],
  ['www.tallinn.com.ee', 'tallinn.com.ee'],
])('finds above %s the name %s', (name, above) => {
  expect(findOutside(name, zones)).toEqual({ above });
});

test('takes every name for one of the registry if there are no zones', () => {
  expect(findOutside('www.free.com', [])).toBeUndefined();
});
