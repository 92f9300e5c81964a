import { type Claim, claims, contacts, type VerificationDemand } from '../../drizzle/schema.ts';
import { getContactByCode } from '../contact/administer.ts';
import { notifyingRegistrar } from '../contact/change.ts';
import type { ContactWithRegistrar } from '../contact/contact.ts';
import { isVerified } from '../contact/verifications.ts';
import { isIn, jsonArrays } from '../database/json-rows.ts';
import type { Database } from '../database/open.ts';
import { RegistryError } from '../error.ts';
import type { Changes } from '../history/changes.ts';
import { notifying } from '../registrar/notification.ts';
import { asciiUpperCase } from '../text/ascii-case.ts';
import { dayOf, isDay } from '../time/day.ts';
import { type Change, type ChangeOptions, type Origin, write } from '../write.ts';
import { contactChange } from './verification.ts';

/** Reads a demand; throws `invalid` for an unknown claim or none, and for what is not a day or is past. */
export function readDemand(given: readonly unknown[], by: string, now: Date): VerificationDemand {
  const known: readonly unknown[] = claims;
  const unknown = given.find((claim) => !known.includes(claim));
  if (unknown !== undefined || given.length === 0) {
    const wrong =
      given.length === 0 ? 'no claim is given' : `not a claim: ${JSON.stringify(unknown)}`;
    throw new RegistryError('invalid', `${wrong}; choose of ${claims.join(', ')}`, 'claims');
  }
  if (!isDay(by)) {
    throw new RegistryError('invalid', `${by} is not a day such as 2027-01-31`, 'by');
  }
  if (by < dayOf(now)) throw new RegistryError('invalid', `${by} is past`, 'by');
  return { claims: claims.filter((claim) => given.includes(claim)), by };
}

/** What has changed, and which of the claims are verified already, so that they are not asked for. */
export interface Demanded {
  changes: Changes;
  verified: Claim[];
}

/**
 * Asks the registrar of a contact for verifications, in place of those that it was asked for before, and notifies it; null
 * takes the demand back. If everything is verified already, nothing changes. Throws `not_found`.
 */
export async function demandVerification(
  db: Database,
  origin: Origin,
  code: string,
  demand: VerificationDemand | null,
  options: ChangeOptions = {},
): Promise<Demanded> {
  const look = () => getContactByCode(db, code);
  const judge = (contact: ContactWithRegistrar): Change<Demanded> => {
    const asked = demand?.claims ?? [];
    const verified = asked.filter((claim) => isVerified(contact, claim));
    const claims = asked.filter((claim) => !verified.includes(claim));
    const wanted = demand && { claims, by: demand.by };
    const isMet = wanted !== null && claims.length === 0;
    const values = isMet ? {} : { verificationDemand: wanted };
    const change = contactChange(db, contact, values, origin);
    const { changes } = change;
    const reported = { ...change, outcome: { changes, verified } };
    const { at } = origin.request;
    if (!wanted) return notifyingRegistrar(db, contact, reported, at);
    return notifying(db, reported, {
      registrarId: contact.registrarId,
      event: 'contact.verification_required',
      text: textOf(contact, wanted),
      subjectKey: contact.code,
      fields: ['verification_demand'],
      createdAt: at.toISOString(),
    });
  };
  return (await write(db, origin.request, { look, judge }, options)).outcome;
}

function textOf({ code, domainCount }: ContactWithRegistrar, { claims, by }: VerificationDemand) {
  const domains = domainCount === 1 ? '1 domain refers' : `${domainCount} domains refer`;
  return `Contact ${code} must be verified by ${by}: ${claims.join(', ')}; ${domains} to it`;
}

/** The codes among these, in capital letters, that no contact has. */
export async function findUnknownCodes(
  db: Database,
  codes: readonly string[],
): Promise<Set<string>> {
  const unknown = new Set(codes.map(asciiUpperCase));
  for (const some of jsonArrays([...unknown])) {
    const found = await db
      .select({ code: contacts.code })
      .from(contacts)
      .where(isIn(contacts.code, some));
    for (const { code } of found) unknown.delete(code);
  }
  return unknown;
}
