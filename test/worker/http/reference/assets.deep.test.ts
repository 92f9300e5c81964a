import { expect, it } from 'vitest';
import { texts } from '../../../../src/worker/http/site/texts.ts';
import { shareWorker } from '../../../support/worker.ts';

const worker = shareWorker();

/** Without looking for the path in the document. */
const send = (path: string, init?: RequestInit) =>
  fetch(new URL(path, worker.url), { redirect: 'manual', ...init });

const closed = "default-src 'none'; frame-ancestors 'none'";
const ofTheReference =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** Below /assets/, where the page for an unknown name needs its style sheets and its icon. */
const styled = "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'";

it.each([
  ['/docs/', 'text/html; charset=utf-8', ofTheReference],
  ['/docs/guide', 'text/html; charset=utf-8', ofTheReference],
  ['/docs/changes', 'text/html; charset=utf-8', ofTheReference],
  ['/docs/reference.js', 'text/javascript; charset=utf-8', ofTheReference],
  ['/docs/reference.css', 'text/css; charset=utf-8', ofTheReference],
  ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8', ofTheReference],
  ['/docs/swagger-ui-license.txt', 'text/plain; charset=utf-8', ofTheReference],
  ['/openapi.json', 'application/json', closed],
  ['/assets/site.css', 'text/css; charset=utf-8', styled],
])(
  'the static files have their type, security headers and a tag for the cache: %s',
  async (path, type, policy) => {
    const { status, headers } = await send(path);

    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toBe(type);
    expect(headers.get('Content-Security-Policy')).toBe(policy);
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(headers.get('X-Frame-Options')).toBe('DENY');
    expect(headers.get('Referrer-Policy')).toBe('no-referrer');
    expect(headers.get('Strict-Transport-Security')).toBe('max-age=31536000; includeSubDomains');
    expect(headers.get('Cache-Control')).toBe('public, max-age=0, must-revalidate');
    expect(headers.get('ETag')).toMatch(/^"[0-9a-f]{32}"$/);
  },
);

it('the static files are not sent again to a client that has them', async () => {
  const etag = (await send('/docs/')).headers.get('ETag')!;

  expect((await send('/docs/', { headers: { 'If-None-Match': etag } })).status).toBe(304);
});

it('the static files lead from /docs to the reference', async () => {
  const { status, headers } = await send('/docs');

  expect([status, headers.get('Location')]).toEqual([307, '/docs/']);
});

it.each([
  ['/docs/unknown', ofTheReference],
  ['/docs/unknown/too', ofTheReference],
  ['/assets/unknown.css', styled],
])(
  'the static files answer an unknown name with a page in both languages: %s',
  async (path, policy) => {
    const response = await send(path);

    expect(response.status).toBe(404);
    expect(response.headers.get('Cache-Control')).not.toContain('max-age=300');
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('Content-Security-Policy')).toBe(policy);
    const html = await response.text();
    for (const { notFound } of Object.values(texts)) expect(html).toContain(notFound);
  },
);

it.each(['/docs/', '/openapi.json', '/assets/site.css'])(
  'the static files can only be read: %s',
  async (path) => {
    const refused = await send(path, { method: 'POST' });
    expect([refused.status, refused.headers.get('Allow')]).toEqual([405, 'GET, HEAD']);
  },
);

it.each([
  ['POST', '/repp/v1/contacts', 401],
  ['PUT', '/repp/v1/contacts/ALPHA:1', 401],
  ['POST', '/repp/v1/retained_domains/lookup', 400],
  ['POST', '/api/v1/registrant/auth/eid', 400],
  ['PATCH', '/api/v1/auctions/unknown', 404],
  ['POST', '/repp/docs/', 404],
  ['POST', '/health', 405],
  ['POST', '/openapi.json/', 404],
])('the interfaces are never answered by a file: %s %s', async (method, path, status) => {
  const response = await send(path, { method });

  expect(response.status).toBe(status);
  expect(response.headers.has('X-Request-Id')).toBe(true);
});
