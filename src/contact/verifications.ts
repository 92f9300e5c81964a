import { type Claim, claims, type Verification } from '../../drizzle/schema.ts';
import type { Changes } from '../history/changes.ts';
import type { Contact } from './contact.ts';
import { columnsOfClaim, verificationColumn } from './fields.ts';

/** The newest check of each claim whose value has not changed since, in the order of the claims. */
export function verificationsOf(contact: Contact): (Verification & { claim: Claim })[] {
  return claims.flatMap((claim) => {
    const verification = contact[verificationColumn[claim]];
    return verification && verification.result !== 'ended' ? [{ claim, ...verification }] : [];
  });
}

/** Whether the claim's value, as it is now, was checked and found true. */
export function isVerified(contact: Contact, claim: Claim): boolean {
  return contact[verificationColumn[claim]]?.result === 'success';
}

/**
 * What ends with these changes, unless they give another themselves: the verifications of values that change, and with the
 * identity what the identity service was asked about it.
 */
export function endedBy(contact: Contact, changes: Changes): Partial<Contact> {
  const isChange = (claim: Claim) =>
    columnsOfClaim(claim, contact.identType).some((column) => column in changes);
  const ended = verificationsOf(contact)
    .filter(({ claim }) => isChange(claim) && !(verificationColumn[claim] in changes))
    .map(({ claim, ...verification }) => [
      verificationColumn[claim],
      { ...verification, result: 'ended' },
    ]);
  const isForgotten = isChange('identity') && !('identityRequest' in changes);
  return { ...Object.fromEntries(ended), ...(isForgotten && { identityRequest: null }) };
}
