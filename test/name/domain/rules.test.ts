import { expect, test } from 'vitest';
import { findRuleProblems } from '../../../src/name/domain/rules.ts';

test('refuses what is not exactly one label below a zone, with the name to ask about', () => {
  const zones = ['ee', 'com.ee', 'co.uk'];
  const own = ['a.ee', 'a.com.ee', 'wwwcom.ee'];
  const others = [
    'www.a.ee',
    'c.b.a.ee',
    'b.a.com.ee',
    'com.ee',
    'co.uk',
    'a.com',
    'a.uk',
    'aco.uk',
  ];
  const problems = findRuleProblems(
    [...own, ...others].map((name) => ({ name })),
    { zones, letters: '' },
  );
  expect(problems.map(({ message }) => message)).toEqual([
    '"www.a.ee" belongs to "a.ee"',
    '"c.b.a.ee" belongs to "a.ee"',
    '"b.a.com.ee" belongs to "a.com.ee"',
    '"com.ee" is a zone of this registry',
    '"co.uk" is a zone of this registry',
    '"a.com" is not in a zone of this registry (ee, com.ee, co.uk)',
    '"a.uk" is not in a zone of this registry (ee, com.ee, co.uk)',
    '"aco.uk" is not in a zone of this registry (ee, com.ee, co.uk)',
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
  const all = [{ name: 'www.free.com' }];
  expect(findRuleProblems(all, { zones: [], letters: '' })).toEqual([]);
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
