import { expect, it } from 'vitest';
import { answerFromMemory } from '../../../../src/worker/http/public/from-memory.ts';
import { withMethods } from '../../../list/published.ts';
import { answerHere, shareEmptyWorker, shareWorker } from '../../../support/worker.ts';

const worker = shareEmptyWorker();
const deployment = shareWorker({ ENVIRONMENT: 'production' });

const paths = [
  '/unknown',
  '/repp/v1/auctions',
  '/repp/v1/retained_domains?type=none',
  '/repp/v1/contacts',
  '/repp/v1/unknown',
  '/api/v1/auctions',
  '/api/v1/auctions/unknown',
  '/api/v1/registrant/contacts',
];

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function expectSecured(headers: Headers) {
  expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
  expect(headers.get('X-Frame-Options')).toBe('DENY');
  expect(headers.get('Content-Security-Policy')).toBe("default-src 'none'; frame-ancestors 'none'");
  expect(headers.get('Referrer-Policy')).toBe('no-referrer');
  expect(headers.get('X-Request-Id')).toMatch(uuid);
}

const tlsForAYear = 'max-age=31536000; includeSubDomains';
it.each(paths)(
  'every answer forbids sniffing, framing and scripts, and demands TLS in a deployment alone: %s',
  async (path) => {
    const [local, deployed] = [await worker.fetch(path), await deployment.fetch(path)];
    expectSecured(local.headers);
    expect(local.headers.get('Strict-Transport-Security')).toBeNull();
    expect(deployed.headers.get('Strict-Transport-Security')).toBe(tlsForAYear);
  },
);

it('gives each 304 that is answered before the application its own X-Request-Id', async () => {
  const path = '/repp/v1/auctions';
  // An isolate that remembers nothing yet, so that nothing grows too old meanwhile.
  const fresh = withMethods(worker.env.LISTS, {});
  const env = { ...worker.env, LISTS: fresh, ENVIRONMENT: 'production' };
  const first = await answerHere(path, {}, env);
  await first.arrayBuffer();
  // An address that no other test counts.
  const address = { 'CF-Connecting-IP': '192.0.2.219' };
  const headers = { ...address, 'If-None-Match': first.headers.get('ETag')! };
  const request = () => new Request(`https://example.com${path}`, { headers });

  const ids = [1, 2].map(() => answerFromMemory(request(), env)!.headers.get('X-Request-Id'));

  expect(ids).toEqual([expect.stringMatching(uuid), expect.stringMatching(uuid)]);
  expect(ids[0]).not.toBe(ids[1]);
});
