import { expect, test, vi } from 'vitest';
import { hashPassword } from '../../../src/party/registrar/operator/password.ts';
import {
  isPasswordOf,
  rememberVerified,
  verifiedHash,
} from '../../../src/party/registrar/password.ts';

test('accepts the password that was hashed and no other', async () => {
  const stored = await hashPassword('ööbik 1');
  expect(await isPasswordOf(stored, 'ööbik 1')).toBe(true);
  for (const wrong of ['', 'ööbik 2', 'ööbik 1 ', 'Ööbik 1']) {
    expect(await isPasswordOf(stored, wrong)).toBe(false);
  }
});

test('verifies the hash of another implementation', async () => {
  // Python: hashlib.pbkdf2_hmac('sha256', b'secret', bytes(range(16)), 100_000)
  const stored =
    'pbkdf2-sha256$100000$AAECAwQFBgcICQoLDA0ODw==$n7ndPI4pRDZreIx+eVpaY1DViEWyo9Ia1l8HtVGB+Dc=';
  expect(await isPasswordOf(stored, 'secret')).toBe(true);
});

test('stores the same password under another salt each time', async () => {
  const [one, other] = await Promise.all([hashPassword('same'), hashPassword('same')]);
  expect(one).toMatch(/^pbkdf2-sha256\$100000\$[A-Za-z0-9+/]{22}==\$[A-Za-z0-9+/]{43}=$/);
  expect(other).not.toBe(one);
});

const given = { username: 'ats', secretDigest: 'a'.repeat(64) };

test('remembers a verified password for ten minutes', () => {
  const clock = vi.spyOn(Date, 'now').mockReturnValue(0);
  rememberVerified(given, 'stored');
  clock.mockReturnValue(599_999);
  expect(verifiedHash(given)).toBe('stored');
  expect(verifiedHash({ ...given, username: 'mari' })).toBeNull();
  expect(verifiedHash({ ...given, secretDigest: 'b'.repeat(64) })).toBeNull();
  clock.mockReturnValue(600_000);
  expect(verifiedHash(given)).toBeNull();
  rememberVerified(given, 'stored');
  // The clock was set back.
  clock.mockReturnValue(0);
  expect(verifiedHash(given)).toBeNull();
  clock.mockRestore();
});

test('remembers the latest 1,000 verified passwords', () => {
  for (let n = 0; n <= 1_000; n++) rememberVerified({ ...given, username: `user${n}` }, 'stored');
  expect(verifiedHash({ ...given, username: 'user0' })).toBeNull();
  expect(verifiedHash({ ...given, username: 'user1' })).toBe('stored');
});
