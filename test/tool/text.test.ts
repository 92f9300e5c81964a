import { expect, test } from 'vitest';
import { table } from '../../src/tool/report/text.ts';

const users = [
  { username: 'ats', registrar: 'ALPHA', state: 'disabled since 2026-11-21T13:20:11.250Z' },
  { username: 'mari', registrar: 'BETA', state: 'enabled' },
];
const columns = ['username', 'registrar', 'state'];

test('aligns the columns of a table that fits the terminal', () => {
  expect(table(users, '', columns, 60)).toBe(
    'USERNAME  REGISTRAR  STATE\n' +
      'ats       ALPHA      disabled since 2026-11-21T13:20:11.250Z\n' +
      'mari      BETA       enabled',
  );
});

test('breaks no word of a table that is wider than the terminal', () => {
  expect(table(users, '', columns, 40)).toBe(
    'USERNAME:  ats\n' +
      'REGISTRAR: ALPHA\n' +
      'STATE:     disabled since\n' +
      '           2026-11-21T13:20:11.250Z\n' +
      '\n' +
      'USERNAME:  mari\n' +
      'REGISTRAR: BETA\n' +
      'STATE:     enabled',
  );
});
