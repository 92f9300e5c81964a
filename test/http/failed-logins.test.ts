import { expect, test } from 'vitest';
import {
  forgetLogin,
  refusedSeconds,
  refuseLogins,
  rememberLogin,
} from '../../src/http/failed-logins.ts';

const now = new Date('2026-11-21T12:00:00Z');
const later = (milliseconds: number) => new Date(now.getTime() + milliseconds);
const login = (username: string) => ({
  username,
  secret: 'secret',
  secretDigest: 'a'.repeat(64),
  passwordHash: null,
  address: undefined,
  at: now.toISOString(),
});

test('refuses an address until the window ends, and says for how long', () => {
  refuseLogins('window', now, 60);

  expect(refusedSeconds('window', login('ats'), now)).toBe(60);
  expect(refusedSeconds('window', login('ats'), later(59_001))).toBe(1);
  expect(refusedSeconds('window', login('ats'), later(60_000))).toBe(0);
  expect(refusedSeconds('elsewhere', login('ats'), now)).toBe(0);
});

test('lets a login that has succeeded through, until the database refuses it', () => {
  refuseLogins('shared', now, 60);
  rememberLogin(login('mari'));

  expect(refusedSeconds('shared', login('mari'), now)).toBe(0);
  expect(refusedSeconds('shared', login('jaan'), now)).toBe(60);
  forgetLogin(login('mari'));
  expect(refusedSeconds('shared', login('mari'), now)).toBe(60);
});

test('remembers the latest 5,000 addresses', () => {
  for (let n = 0; n <= 5_000; n++) refuseLogins(`address${n}`, now, 60);

  expect(refusedSeconds('address0', login('ats'), now)).toBe(0);
  expect(refusedSeconds('address1', login('ats'), now)).toBe(60);
  expect(refusedSeconds('address5000', login('ats'), now)).toBe(60);
});
