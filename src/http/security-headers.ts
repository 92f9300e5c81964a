import type { Env } from '../env.ts';

/** What every answer carries: it is data, to be read as its type says, and shown by no page. */
const always: [name: string, value: string][] = [
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Referrer-Policy', 'no-referrer'],
];

const inDeployment: typeof always = [
  ...always,
  ['Strict-Transport-Security', 'max-age=31536000; includeSubDomains'],
];

/** Names and values of the headers that every answer carries; HSTS (RFC 6797) only where there is TLS. */
export function securityHeaders(env: Env): typeof always {
  return env.ENVIRONMENT === 'local' ? always : inDeployment;
}
