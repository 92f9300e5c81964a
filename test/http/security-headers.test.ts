import { describe, expect, it } from 'vitest';
import { app } from '../../src/http/app.ts';
import { startWorker } from '../worker.ts';

const worker = startWorker();

const paths = [
  '/',
  '/repp/v1/auctions',
  '/repp/v1/retained_domains?type=none',
  '/repp/v1/contacts',
  '/repp/v1/unknown',
  '/api/v1/auctions',
  '/api/v1/auctions/unknown',
  '/api/v1/registrant/contacts',
];

describe('every answer', () => {
  it.each(paths)('forbids to sniff, frame and script it: %s', async (path) => {
    const { headers } = await worker.fetch(path);

    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(headers.get('X-Frame-Options')).toBe('DENY');
    expect(headers.get('Content-Security-Policy')).toBe(
      "default-src 'none'; frame-ancestors 'none'",
    );
    expect(headers.get('Referrer-Policy')).toBe('no-referrer');
    expect(headers.get('X-Request-Id')).toMatch(/^[\w-]{8,}$/);
  });

  it('asks for TLS in a deployment, and only there', async () => {
    const local = await worker.fetch('/repp/v1/auctions');
    const deployed = await app.request(
      '/repp/v1/contacts',
      {},
      { ...worker.env, ENVIRONMENT: 'production' },
    );

    expect(local.headers.get('Strict-Transport-Security')).toBeNull();
    expect(deployed.headers.get('Strict-Transport-Security')).toBe(
      'max-age=31536000; includeSubDomains',
    );
  });
});
