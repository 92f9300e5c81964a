import { sql } from 'drizzle-orm';
import { type Claim, history, type Verification } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { RegistryError } from '../../base/error.ts';
import type { Origin } from '../../change/origin.ts';
import { changedMeanwhile, type Written } from '../../change/write.ts';
import type { RegistrarCall } from '../../party/registrar/login.ts';
import { rowUpdate, writeContact } from '../change.ts';
import { type Contact, type ContactReference, checkVersion, referenceTo } from '../contact.ts';
import { isAboutContact } from '../entries.ts';
import { columnsOfClaim, verificationColumn } from '../fields.ts';
import { hasValue, verificationsOf } from '../verifications.ts';

export interface Check {
  claim: Claim;
  method: string;
  framework?: string | null | undefined;
  reference?: string | null | undefined;
  result?: 'success' | 'failed' | null | undefined;
  verifiedAt?: Date | null | undefined;
}

interface RecordedVerification extends ContactReference {
  id: string;
}

/**
 * Replaces the claim's last check. Two round trips, and one more for a check with a time. Throws `invalid` for a future
 * time, a claim without a value or a value changed since; `not_found`, `changed_meanwhile`.
 */
export function recordVerification(
  call: RegistrarCall,
  code: string,
  check: Check,
): Promise<Written<RecordedVerification>> {
  const { db, request } = call;
  const { claim, verifiedAt } = check;
  let firstValues: string | undefined;
  const judgeTime = async (contact: Contact) => {
    const values = JSON.stringify(
      columnsOfClaim(claim, contact.identType).map((column) => contact[column]),
    );
    firstValues ??= values;
    // The check applies to the values at the first look.
    if (values !== firstValues) throw changedMeanwhile();
    if (!verifiedAt || !(await hasChangedSince(db, contact, claim, verifiedAt))) return;
    const message = 'The value has changed since it was verified';
    throw new RegistryError('invalid', message, 'verification.verified_at');
  };
  return writeContact(
    call,
    code,
    (operation, contact) => {
      checkVersion(contact, request);
      const change = rowUpdate(operation, contact, checkValues(contact, check, operation.origin));
      const { id } = change.outcome[verificationColumn[claim]]!;
      return { ...change, outcome: { id, ...referenceTo(change.outcome) } };
    },
    judgeTime,
  );
}

/** Knows only changes in the history. */
async function hasChangedSince(
  db: Database,
  { uuid, identType }: Contact,
  claim: Claim,
  since: Date,
): Promise<boolean> {
  const changes = columnsOfClaim(claim, identType).map(
    (column) => sql`changes -> ${`$.${column}`} is not null`,
  );
  const isChange = sql`${isAboutContact(sql`${uuid}`)} and action = 'update'
    and occurred_at > ${since.toISOString()} and (${sql.join(changes, sql` or `)})`;
  return (await db.$count(history, isChange)) > 0;
}

/** Two round trips. Throws `not_found`, also for an already withdrawn verification; `changed_meanwhile`. */
export function withdrawVerification(
  call: RegistrarCall,
  code: string,
  id: string,
): Promise<Written<ContactReference>> {
  return writeContact(call, code, (operation, contact) => {
    checkVersion(contact, call.request);
    const target = verificationsOf(contact).find((verification) => verification.id === id);
    if (!target) throw new RegistryError('not_found', 'Object does not exist');
    const values = { [verificationColumn[target.claim]]: null };
    const change = rowUpdate(operation, contact, values);
    return { ...change, outcome: referenceTo(change.outcome) };
  });
}

/** Throws `invalid` for a future time, or a claim without a value. */
export function checkValues(
  contact: Contact,
  { claim, method, framework = null, reference = null, result, verifiedAt }: Check,
  { actor, request }: Origin,
): Partial<Contact> {
  if (!hasValue(contact, claim)) {
    const message = `The contact has no ${claim} to verify`;
    throw new RegistryError('invalid', message, 'verification.claim');
  }
  const at = verifiedAt ?? request.at;
  if (at > request.at) {
    throw new RegistryError('invalid', 'Verified at is in the future', 'verification.verified_at');
  }
  const verification: Verification = {
    id: crypto.randomUUID(),
    method,
    framework,
    reference,
    result: result ?? 'success',
    verified_at: at.toISOString(),
    verified_by: actor.name,
  };
  return { [verificationColumn[claim]]: verification };
}
