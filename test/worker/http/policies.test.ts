import { expect, it } from 'vitest';
import { description, introductionFor } from '../../../src/worker/http/openapi/introduction.ts';
import { shareWorker } from '../../support/worker.ts';

const settings = {
  VERIFICATION_POLICY_URL: 'https://example.ee/verification',
  ACCESS_POLICY_URL: 'https://example.ee/access?a=1&b=2',
};
const worker = shareWorker(settings);
const unset = shareWorker({ VERIFICATION_POLICY_URL: '', ACCESS_POLICY_URL: 'ftp://example.ee/' });

it.each(['/et/', '/en/unknown'])(
  'the page links to the policies that are set: %s',
  async (path) => {
    const page = await (await worker.fetch(path)).text();
    expect(page).toContain('<a href="https://example.ee/verification">');
    expect(page).toContain('<a href="https://example.ee/access?a=1&amp;b=2">');
    expect(await (await unset.fetch(path)).text()).not.toContain('example.ee/');
  },
);

it('the introduction of the document and of the reference links to the policies that are set', () => {
  expect(introductionFor({ ...settings, ACCESS_POLICY_URL: '' })).toBe(
    `${description}\n\nOf this registry: [verification policy](<https://example.ee/verification>).`,
  );
  expect(introductionFor(settings)).toContain(
    ', [access policy](<https://example.ee/access?a=1&b=2>).',
  );
  expect(introductionFor({ SUPPORT_URL: 'help@example.ee' })).toBe(
    `${description}\n\nOf this registry: [support](<mailto:help@example.ee>).`,
  );
  expect(introductionFor({})).toBe(description);
});
