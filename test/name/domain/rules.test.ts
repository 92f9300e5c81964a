import { expect, test } from 'vitest';
import { findOutside, findRuleProblems } from '../../../src/name/domain/rules.ts';

const zones = ['ee', 'com.ee', 'co.uk'];

test.each(['tallinn.ee', 'tallinn.com.ee', 'wwwcom.ee'])(
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

test.each(['com.ee', 'co.uk'])('takes %s for a zone', (name) => {
  expect(findOutside(name, zones)).toEqual({ isZone: true });
});

test('refuses what is not exactly one label below a zone, with the name to ask about', () => {
  const names = ['a.ee', 'a.com.ee', 'www.a.ee', 'b.a.com.ee', 'com.ee', 'a.com'];
  const problems = findRuleProblems(
    names.map((name) => ({ name })),
    { zones: ['ee', 'com.ee'], letters: '' },
  );
  expect(problems.map(({ message }) => message)).toEqual([
    '"www.a.ee" belongs to "a.ee"',
    '"b.a.com.ee" belongs to "a.com.ee"',
    '"com.ee" is a zone of this registry',
    '"a.com" is not in a zone of this registry (ee, com.ee)',
  ]);
});

test('allows a zone inside another zone to be blocked, and nothing else', () => {
  const judge = (name: string, status: string) =>
    findRuleProblems([{ name, status }], { zones: ['ee', 'com.ee', 'co.uk'], letters: '' }).length;
  expect(judge('com.ee', 'blocked')).toBe(0);
  expect(judge('com.ee', 'reserved')).toBe(1);
  expect(judge('co.uk', 'blocked')).toBe(1);
  expect(judge('www.a.ee', 'blocked')).toBe(1);
});

test('takes every name for one of the registry if there are no zones', () => {
  expect(findOutside('www.free.com', [])).toBeUndefined();
});

const messages = (names: string[], letters: string) =>
  findRuleProblems(
    names.map((name) => ({ name })),
    { zones: ['ee'], letters },
  ).map(({ message }) => message);

test('with a table of letters, the registry has no name with others', () => {
  const names = ['õun-1.ee', 'tallinn.ee', 'tаllinn.ee', 'naïve.ee', 'a².ee'];
  expect(messages(names, 'äöõüšž')).toEqual([
    '"tаllinn.ee" contains “а” (U+0430), and the letters of this registry are a-z and äöõüšž',
    '"naïve.ee" contains “ï” (U+00EF), and the letters of this registry are a-z and äöõüšž',
    '"a².ee" contains “²” (U+00B2), and the letters of this registry are a-z and äöõüšž',
  ]);
});

test('without a table of letters, the registry has names with all', () => {
  expect(messages(['tаllinn.ee', 'почта.ee'], '')).toEqual([]);
});
