/** A constant 304 with every header that the service's has. */
const headers = {
  ETag: 'W/"0123456789abcdef0123456789abcdef"',
  'Cache-Control': 'public, max-age=15, stale-if-error=86400',
  Vary: 'Accept-Encoding',
  'Cache-Tag': 'list-all',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'ETag, Ignored-Fields, Ignored-Parameters, Link, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
  'X-Request-Id': '00000000-0000-4000-8000-000000000000',
};

export default {
  fetch: () => new Response(null, { status: 304, headers }),
};
