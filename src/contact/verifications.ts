import { type Claim, claims, type Verification } from '../../drizzle/schema.ts';
import type { Changes } from '../change/history/changes.ts';
import type { Contact } from './contact.ts';
import { columnsOfClaim, verificationColumn } from './fields.ts';

/** Newest checks of claims whose values have not changed since, in the order of the claims. */
export function verificationsOf(contact: Contact): (Verification & { claim: Claim })[] {
  return claims.flatMap((claim) => {
    const verification = contact[verificationColumn[claim]];
    return verification && verification.result !== 'ended' ? [{ claim, ...verification }] : [];
  });
}

export function isVerified(contact: Contact, claim: Claim): boolean {
  return contact[verificationColumn[claim]]?.result === 'success';
}

/** A check for whoever must not learn who made it, and under what reference. */
export function withoutSource(check: Verification): Verification {
  return { ...check, reference: null, verified_by: null };
}

/**
 * What becomes of the verifications by the changes, but for those that the changes give: those of values that change
 * end. With the identity, the others go without their source, and what the identity service was asked is forgotten.
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
