import {
  type Claim,
  claims,
  type Verification,
  type VerificationDemand,
} from '../../drizzle/schema.ts';
import { isBlank } from '../base/text/field.ts';
import type { Changes } from '../change/history/changes.ts';
import type { Contact } from './contact.ts';
import { columnsOfClaim, verificationColumn } from './fields.ts';
import { isCode } from './identity-code.ts';

/** Returns the newest checks of unchanged values, in the order of the claims. */
export function verificationsOf(contact: Partial<Contact>): (Verification & { claim: Claim })[] {
  return claims.flatMap((claim) => {
    const verification = contact[verificationColumn[claim]];
    return verification && verification.result !== 'ended' ? [{ claim, ...verification }] : [];
  });
}

export function isVerified(contact: Omit<Checked, 'verificationDemand'>, claim: Claim): boolean {
  return contact[verificationColumn[claim]]?.result === 'success';
}

/** Without a value, there is nothing to verify. An identity's value is its code. */
export function hasValue(contact: Partial<Contact>, claim: Claim): boolean {
  if (claim === 'identity') return isCode(contact.ident ?? '');
  return columnsOfClaim(claim).some((column) => !isBlank(contact[column] ?? null));
}

type Checked = Pick<Contact, 'verificationDemand' | (typeof verificationColumn)[Claim]>;

/** The demand, unless everything in it is verified. `hasOpenDemand` of drizzle/schema.ts does the same in SQL. */
export function openDemand(contact: Checked): VerificationDemand | null {
  const { verificationDemand: demand } = contact;
  return demand?.claims.every((claim) => isVerified(contact, claim)) ? null : demand;
}

/**
 * Removes a demand whose last day is over, and that was met before the change or is met after it. Until that day, it is
 * kept, and is open again when a check ends.
 */
export function demandAfter(
  before: Checked,
  after: Checked,
  today: string,
): Pick<Contact, 'verificationDemand'> | undefined {
  const { verificationDemand } = after;
  if (!verificationDemand || verificationDemand.by >= today) return undefined;
  const isMet = [before, after].some((one) => !openDemand({ ...one, verificationDemand }));
  return isMet ? { verificationDemand: null } : undefined;
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
