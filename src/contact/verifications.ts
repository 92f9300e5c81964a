import {
  type Claim,
  claims,
  type Verification,
  type VerificationDemand,
} from '../../drizzle/schema.ts';
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

/**
 * Verifications of values that change, and with the identity what the identity service was asked about it; not those
 * that the changes give.
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

/** What the registrar of a contact is told when it is to verify it. */
export function demandNotice(code: string, domains: number, { claims, by }: VerificationDemand) {
  const refer = domains === 1 ? '1 domain refers' : `${domains} domains refer`;
  const text = `Contact ${code} must be verified by ${by}: ${claims.join(', ')}; ${refer} to it`;
  return { event: 'contact.verification_required', text } as const;
}
