import { type Claim, claims, type Verification } from '../../drizzle/schema.ts';
import type { Changes } from '../change/history/changes.ts';
import type { Contact } from './contact.ts';
import { columnsOfClaim, verificationColumn } from './fields.ts';

/** Returns the newest checks of unchanged values, in the order of the claims. */
export function verificationsOf(contact: Contact): (Verification & { claim: Claim })[] {
  return claims.flatMap((claim) => {
    const verification = contact[verificationColumn[claim]];
    return verification && verification.result !== 'ended' ? [{ claim, ...verification }] : [];
  });
}

export function isVerified(contact: Contact, claim: Claim): boolean {
  return contact[verificationColumn[claim]]?.result === 'success';
}

export function withoutSource(check: Verification): Verification {
  return { ...check, reference: null, verified_by: null };
}

/**
 * Returns the effect of the changes on verifications that they do not set: checks of changed values end. A changed
 * identity also removes the source of other checks, and the request to the identity service.
 */
export function checksAfter(contact: Contact, changes: Changes): Partial<Contact> {
  const isChange = (claim: Claim) =>
    columnsOfClaim(claim, contact.identType).some((column) => column in changes);
  const isOtherIdentity = isChange('identity');
  const checks: Partial<Contact> = {};
  for (const { claim, ...check } of verificationsOf(contact)) {
    const column = verificationColumn[claim];
    if (column in changes) continue;
    if (isChange(claim)) checks[column] = { ...check, result: 'ended' };
    else if (isOtherIdentity) checks[column] = withoutSource(check);
  }
  const isForgotten = isOtherIdentity && !('identityRequest' in changes);
  return { ...checks, ...(isForgotten && { identityRequest: null }) };
}
