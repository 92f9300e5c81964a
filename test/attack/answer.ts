import { type Answered, contractProblem } from '../worker/http/openapi/contract.ts';
import type { Sent } from './requests.ts';

/** The problem of an answer by the document, or by what no schema can say. */
export function answerProblem(sent: Sent, answered: Answered): string | undefined {
  const { status, headers } = answered;
  // The document allows these to every call, but nothing here may cause them.
  if (status === 429 || status >= 500) return `status ${status}`;
  // A 304 has no body to protect.
  if (status !== 304 && headers['x-content-type-options'] !== 'nosniff') {
    return 'no security headers';
  }
  if (String(headers['content-type']).startsWith('text/html') && !hasOwnPolicy(answered)) {
    return 'a page without a policy of its own';
  }
  return contractProblem(sent, answered) ?? contradiction(answered);
}

function hasOwnPolicy({ headers }: Answered): boolean {
  return String(headers['content-security-policy']).includes("script-src 'self'");
}

/** Two parts of a body that do not fit each other. */
function contradiction({ headers, body }: Answered): string | undefined {
  if (body === '' || !String(headers['content-type']).startsWith('application/json')) return;
  const value = JSON.parse(body);
  const { auctions, domains, count, errors, code, message } = value;
  const names = auctions ?? domains;
  if (names && count !== names.length) return 'a wrong count';
  if (Array.isArray(errors) && (code !== errors[0].code || message !== errors[0].message)) {
    return 'an envelope that is not of the first error';
  }
  const { status, registration_code: registrationCode } = value;
  const isPaid = status === 'payment_received';
  if (registrationCode !== undefined && isPaid !== (registrationCode !== null)) {
    return 'a registration code without a payment, or none with one';
  }
  return undefined;
}
