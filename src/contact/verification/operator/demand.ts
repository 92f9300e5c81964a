import { sql } from 'drizzle-orm';
import {
  type Claim,
  claims,
  contacts,
  domainContacts,
  type VerificationDemand,
} from '../../../../drizzle/schema.ts';
import { isIn, jsonArrays } from '../../../base/database/json-rows.ts';
import type { Database } from '../../../base/database/open.ts';
import { type RecordProblem, RegistryError } from '../../../base/error.ts';
import { dayOf } from '../../../base/time/day.ts';
import type { Changes } from '../../../change/history/changes.ts';
import type { Operation } from '../../../change/origin.ts';
import { type Change, write } from '../../../change/write.ts';
import { notifyRegistrar, rowUpdate } from '../../change.ts';
import { getContactByCode } from '../../contact.ts';
import { demandNotice, demandRule, reasonIn } from '../../operator/verification-rules.ts';
import { isVerified } from '../../verifications.ts';

/** Sorts the claims. Throws `invalid`, also for a day in the past. */
export function readDemand(input: Record<keyof VerificationDemand, unknown>, now: Date) {
  const { data, error } = demandRule.safeParse(input);
  if (error) throw new RegistryError('invalid', reasonIn(error));
  const { by } = data;
  if (by < dayOf(now)) throw new RegistryError('invalid', `${by} is past`, 'by');
  return { claims: claims.filter((claim) => data.claims.includes(claim)), by };
}

interface DemandResult {
  changes: Changes;
  /** What is demanded and verified already. */
  verified: Claim[];
}

/**
 * Asks a contact's registrar for verifications, in place of the last demand; null cancels it. Changes nothing if
 * everything is verified. The code must be in upper case. Throws `not_found`.
 */
export async function demandVerification(
  operation: Operation,
  code: string,
  demand: VerificationDemand | null,
): Promise<DemandResult> {
  const { db, origin } = operation;
  const look = async () => {
    const ofContact = sql`contact_id = (select id from ${contacts}
      where code = ${code})`;
    const itsDomains = sql`(select distinct domain_id from ${domainContacts} where ${ofContact})`;
    const [contact, domains] = await Promise.all([
      getContactByCode(db, code),
      db.$count(itsDomains),
    ]);
    return { contact, domains };
  };
  const judge = ({ contact, domains }: Awaited<ReturnType<typeof look>>): Change<DemandResult> => {
    const asked = demand?.claims ?? [];
    const verified = asked.filter((claim) => isVerified(contact, claim));
    const claims = asked.filter((claim) => !verified.includes(claim));
    const isMet = demand !== null && claims.length === 0;
    const change = rowUpdate(operation, contact, isMet ? {} : { verificationDemand: demand });
    const reported = { ...change, outcome: { changes: change.changes, verified } };
    const notice = demand && demandNotice(contact.code, domains, { ...demand, claims });
    return notifyRegistrar(db, contact, reported, notice);
  };
  return (await write(db, origin.request, { look, judge }, operation)).outcome;
}

/** Returns a problem for each code without a contact. Codes must be in upper case and distinct. */
export async function findDemandProblems<Demand extends { code: string }>(
  db: Database,
  records: readonly Demand[],
): Promise<RecordProblem<Demand>[]> {
  const unknown = new Map(records.map((record) => [record.code, record]));
  for (const codes of jsonArrays(unknown.keys())) {
    const rows = await db
      .select({ code: contacts.code })
      .from(contacts)
      .where(isIn(contacts.code, codes));
    for (const { code } of rows) unknown.delete(code);
  }
  return Array.from(unknown.values(), (record) => {
    const message = `there is no contact ${record.code}`;
    return { reason: 'not_found', message, field: 'code', record };
  });
}
