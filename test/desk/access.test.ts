import { expect, test, vi } from 'vitest';
import { emailOf } from '../../src/desk/access.ts';

/** The platform's answer about a request. */
const access = (getIdentity: () => Promise<unknown>) =>
  ({ aud: 'own', getIdentity }) as CloudflareAccessContext;

test('an identity counts for the application that the setting names', async () => {
  const mari = access(async () => ({ email: 'mari@registry.example' }));
  expect(await emailOf(mari, 'own')).toBe('mari@registry.example');
  for (const audience of ['other', 'OWN', '', undefined]) {
    expect(await emailOf(mari, audience)).toBeUndefined();
  }
});

test('an identity that the platform cannot read is nobody, and is logged', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  const down = access(async () => {
    throw new Error('the identity is down');
  });
  expect(await emailOf(down, 'own')).toBeUndefined();
  expect(String(log.mock.lastCall)).toContain('the identity is down');
});
