import type { Env } from '../env.ts';

/** Sent with every answer: it has the declared type, and no page may frame it. */
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

/** Names and values of the security headers; HSTS (RFC 6797) only in a deployment, where there is TLS. */
export function securityHeaders(env: Env): typeof always {
  return env.ENVIRONMENT === 'local' ? always : inDeployment;
}
