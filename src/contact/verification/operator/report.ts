import { asc, eq, type SQL, sql } from 'drizzle-orm';
import { type Claim, claims, contacts, registrars } from '../../../../drizzle/schema.ts';
import type { Database } from '../../../base/database/open.ts';
import { dayOf, daysBefore, monthsBefore } from '../../../base/time/day.ts';
import { verificationColumn } from '../../fields.ts';
import { isOverdue } from '../../operator/administer.ts';

export function countOverdue(db: Database, now: Date): Promise<number> {
  return db.$count(contacts, isOverdue(dayOf(now)));
}

interface ClaimCount {
  claim: Claim;
  verified: number;
  oldest: string | null;
  over_a_year: number;
  demanded: number;
  overdue: number;
}

/**
 * What is verified and demanded, by registrar and claim, and how many requests to the identity service wait for the
 * person or the registrar. Reads every contact once.
 */
export function reportVerification(db: Database, registrar: string | undefined, now: Date) {
  const request = contacts.identityRequest;
  const waitingSince = sql`coalesce(${request} ->> '$.pending.since', ${request} ->> '$.sent_at')`;
  const isWaiting = sql`${request} ->> '$.decided_at' is null
    and ${waitingSince} < ${daysBefore(dayOf(now), 7)}`;
  const counts = claims.map((claim) => sql`json(${countOf(claim, now)})`);
  return db
    .select({
      registrar: registrars.code,
      contacts: sql<number>`count(*)`,
      waiting_over_a_week: sql<number>`count(*) filter (where ${isWaiting})`,
      claims: sql`json_array(${sql.join(counts, sql`, `)})`.mapWith((json): ClaimCount[] =>
        JSON.parse(json),
      ),
    })
    .from(contacts)
    .innerJoin(registrars, eq(registrars.id, contacts.registrarId))
    .where(registrar === undefined ? undefined : eq(registrars.code, registrar))
    .groupBy(registrars.id)
    .orderBy(asc(registrars.code));
}

function countOf(claim: Claim, now: Date): SQL {
  const column = contacts[verificationColumn[claim]];
  const isVerified = sql`${column} ->> '$.result' = 'success'`;
  const verifiedAt = sql`${column} ->> '$.verified_at'`;
  const yearAgo = monthsBefore(now, 12).toISOString();
  const isDemanded = sql`(instr(${contacts.verificationDemand} -> '$.claims', ${JSON.stringify(claim)}) > 0
    and ${column} ->> '$.result' is not 'success')`;
  return sql`json_object(
    'claim', ${claim},
    'verified', count(*) filter (where ${isVerified}),
    'oldest', min(${verifiedAt}) filter (where ${isVerified}),
    'over_a_year', count(*) filter (where ${isVerified} and ${verifiedAt} < ${yearAgo}),
    'demanded', count(*) filter (where ${isDemanded}),
    'overdue', count(*) filter (where ${isDemanded} and ${isOverdue(dayOf(now))}))`;
}
