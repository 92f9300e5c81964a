import { expect, test } from 'vitest';
import { table } from '../../src/tool/report/text.ts';

const users = [
  { username: 'ats', registrar: 'ALPHA', state: 'disabled since 2026-11-21T13:20:11.250Z' },
  { username: 'mari', registrar: 'BETA', state: 'enabled' },
];
const columns = ['username', 'registrar', 'state'];

test('aligns the columns of a table ', () => {
  expect(table(users, '', columns)).toBe(
    'USERNAME  REGISTRAR  STATE\n' +
      'ats       ALPHA      disabled since 2026-11-21T13:20:11.250Z\n' +
      'mari      BETA       enabled',
  );
});
