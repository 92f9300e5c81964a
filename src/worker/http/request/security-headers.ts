import { type Env, isLocalEnvironment } from '../../../base/env.ts';

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

/** HSTS (RFC 6797) only in a deployment, where there is TLS. */
export function securityHeaders(env: Env): typeof always {
  return isLocalEnvironment(env) ? always : inDeployment;
}
