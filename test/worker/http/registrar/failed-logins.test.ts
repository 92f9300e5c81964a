import { expect, test } from 'vitest';
import {
  forgetLogin,
  refusedSeconds,
  refuseLogins,
  rememberLogin,
} from '../../../../src/worker/http/request/throttle.ts';

const now = new Date('2026-11-21T12:00:00Z');
const login = (username: string) => ({ username, secretDigest: 'a'.repeat(64) });

test('lets a login through that has succeeded, until the database refuses it', () => {
  refuseLogins('shared', now, 60);
  rememberLogin(login('mari'));

  expect(refusedSeconds('shared', login('mari'), now)).toBe(0);
  expect(refusedSeconds('shared', login('jaan'), now)).toBe(60);
  expect(refusedSeconds('shared', login('jaan'), new Date(now.getTime() + 59_001))).toBe(1);
  forgetLogin(login('mari'));
  expect(refusedSeconds('shared', login('mari'), now)).toBe(60);
});

test('refuses no login once the clock was set back to before the refusal', () => {
  refuseLogins('moved', new Date('2026-11-23T12:00:00Z'), 60);

  expect(refusedSeconds('moved', login('ats'), now)).toBe(0);
});

test('remembers the latest 5,000 addresses', () => {
  for (let n = 0; n <= 5_000; n++) refuseLogins(`address${n}`, now, 60);

  expect(refusedSeconds('address0', login('ats'), now)).toBe(0);
  expect(refusedSeconds('address1', login('ats'), now)).toBe(60);
  expect(refusedSeconds('address5000', login('ats'), now)).toBe(60);
});
