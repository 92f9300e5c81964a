/** A constant answer with every header that the service's answer about one name has. */
const headers = {
  ETag: 'W/"reserved"',
  'Cache-Control': 'public, max-age=15, stale-if-error=86400',
  Vary: 'Accept-Encoding',
  'Cache-Tag': 'list-all,list-auctions',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'ETag, Ignored-Fields, Ignored-Parameters, Link, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
  'RateLimit-Policy':
    '"caller";q=1000000;w=60, "address";q=1000000;w=60, "failed-login";q=1000000;w=60, "password";q=1000000;w=60, "registrant-write";q=1000000;w=60, "system";q=1000000;w=60',
  'Content-Type': 'application/json; charset=utf-8',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Request-Id': '00000000-0000-4000-8000-000000000000',
};
const body = JSON.stringify({
  name: 'kalemitu0.ee',
  punycode_name: 'kalemitu0.ee',
  statuses: ['reserved'],
  in_auction: false,
});

export default {
  fetch: () => new Response(body, { headers }),
};
