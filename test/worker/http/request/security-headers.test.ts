import { expect, it } from 'vitest';
import { shareWorker } from '../../../support/worker.ts';

const worker = shareWorker();
const deployment = shareWorker({ ENVIRONMENT: 'production' });

it('an answer forbids sniffing, framing and scripts, and demands TLS in a deployment alone', async () => {
  const path = '/repp/v1/contacts';
  const [local, deployed] = [await worker.fetch(path), await deployment.fetch(path)];
  expect(Object.fromEntries(local.headers)).toMatchObject({
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
  });
  expect(local.headers.get('Strict-Transport-Security')).toBeNull();
  expect(deployed.headers.get('Strict-Transport-Security')).toBe(
    'max-age=31536000; includeSubDomains',
  );
});
