import { and, eq, getTableColumns, sql } from 'drizzle-orm';
import { auctions, disputes, registrations, retainedDomains } from '../../../drizzle/schema.ts';
import { sha256Hex } from '../../base/bytes/digest.ts';
import type { Database } from '../../base/database/open.ts';
import { deleteOlder } from '../../base/database/sweep.ts';
import { timeAfter } from '../../base/time/clock.ts';
import type { Operation } from '../../change/origin.ts';
import { appendStatements, type Change, write } from '../../change/write.ts';
import type { System } from '../../party/system/login.ts';
import { auctionUpdate } from '../auction/report.ts';
import { loadDomains } from '../domain/read.ts';
import { domainRemoval } from '../domain/save.ts';
import { type DomainName, nameConflict } from '../name.ts';
import { closingUpdate } from '../retained/dispute.ts';
import { isNameUnchanged, passwordUpdate, statementsOfConsequences } from './name-state.ts';

const keptForDays = 1;

/**
 * Takes back a registration that the system made within a day: removes the domain, and restores its auction, passwords
 * and dispute. Returns whether a dispute was opened again. Does nothing if the domain does not exist. Throws `conflict`
 * if the registration is older or another system's, or if anything about the name has changed since.
 */
export async function takeBackRegistration(
  operation: Operation,
  system: Pick<System, 'id'>,
  { name }: DomainName,
): Promise<boolean> {
  const { db, origin } = operation;
  const look = () => lookAt(db, name);
  const judge = (seen: Awaited<ReturnType<typeof look>>): Change<boolean> => {
    const { registration, auction, dispute, reservation, digest, present } = seen;
    const removal = domainRemoval(operation, name, present);
    if (!removal.statements) return { ...removal, outcome: false };
    const oldest = timeAfter(origin.request.at, -keptForDays * 24 * 60 * 60 * 1000);
    if (!registration || registration.registeredAt < oldest) {
      throw nameConflict(name, 'late');
    }
    if (registration.systemId !== system.id) {
      throw nameConflict(name, 'not_yours');
    }
    if (!registration.isUnchanged) {
      throw nameConflict(name, 'changed');
    }
    const { consumed, lastEntry } = registration;
    const change: Change<boolean> = {
      ...removal,
      onlyIf: isNameUnchanged(name, lastEntry),
      outcome: dispute !== undefined,
    };
    const { registrationCode = null } = consumed.auction ?? {};
    const paid = { registrationCode, status: 'payment_received' } as const;
    return appendStatements(
      change,
      statementsOfConsequences(db, change, [
        auction && auctionUpdate(operation, auction, paid),
        consumed.password !== undefined &&
          reservation &&
          passwordUpdate(operation, name, {
            password: consumed.password,
            usedPasswords: sql`nullif(trim(replace(used_passwords, ${digest}, '')), '')`,
          }),
        dispute && closingUpdate(operation, dispute, null, 'the registration was taken back'),
      ]),
    );
  };
  return (await write(db, origin.request, { look, judge })).outcome;
}

async function lookAt(db: Database, name: string) {
  const idOf = (path: string) =>
    sql`(select used ->> ${path} from ${registrations} where ${registrations.name} = ${name})`;
  const isUnchanged = sql<number>`${isNameUnchanged(name, registrations.lastEntry)}`;
  const [[registration], [auction], [dispute], [reservation]] = await db.batch([
    db
      .select({ ...getTableColumns(registrations), isUnchanged: isUnchanged.as('is_unchanged') })
      .from(registrations)
      .where(eq(registrations.name, name)),
    db
      .select()
      .from(auctions)
      .where(eq(auctions.id, idOf('$.auction.id'))),
    db
      .select()
      .from(disputes)
      .where(eq(disputes.id, idOf('$.disputeId'))),
    db
      .select()
      .from(retainedDomains)
      .where(and(eq(retainedDomains.name, name), eq(retainedDomains.status, 'reserved'))),
  ]);
  const digest = await sha256Hex(registration?.consumed.password ?? '');
  const present = (await loadDomains(db, [name])).get(name);
  return { registration, auction, dispute, reservation, digest, present };
}

/** Deletes registrations too old to be taken back, with the secrets that they used. */
export function forgetRegistrations(db: Database, now: Date): Promise<void> {
  return deleteOlder(db, [registrations.registeredAt], keptForDays, now);
}
