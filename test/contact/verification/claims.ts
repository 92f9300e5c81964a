import * as fc from 'fast-check';
import type { Claim } from '../../../drizzle/schema.ts';
import type { Contact } from '../../../src/contact/contact.ts';

/** What each claim is about, said here once more: the service's own list is what is tested. */
const valuesOf: Record<Claim, (contact: Contact) => unknown[]> = {
  identity: ({ ident, identType, identCountryCode, name }) => [
    ...[ident, identType, identCountryCode],
    // Many people have one birthday.
    ...(identType === 'birthday' ? [name] : []),
  ],
  name: ({ name }) => [name],
  email: ({ email }) => [email],
  phone: ({ phone }) => [phone],
  address: ({ street, city, zip, state, countryCode }) => [street, city, zip, state, countryCode],
};

export function claimValues(claim: Claim, contact: Contact): string {
  return JSON.stringify(valuesOf[claim](contact));
}

/** So few values that those of before often come back. */
export const change = fc.oneof(
  fc.record({ name: fc.constantFrom('Mari', 'Jaan') }),
  fc.record({ email: fc.constantFrom('mari@example.ee', 'jaan@example.ee') }),
  fc.record({ phone: fc.constantFrom('+372.5123456', '+372.5123457') }),
  fc.record({ city: fc.constantFrom('Tartu', 'Narva') }),
  fc.record({ fax: fc.constantFrom('+372.6123456', '+372.6123457') }),
);
