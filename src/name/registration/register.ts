import { sql } from 'drizzle-orm';
import { type Consumed, registrations } from '../../../drizzle/schema.ts';
import { matcherOf, randomHex, sha256Hex } from '../../base/bytes/digest.ts';
import { insertRows } from '../../base/database/insert-rows.ts';
import type { Database } from '../../base/database/open.ts';
import { orRefusal, type Problem, RegistryError, throwProblems } from '../../base/error.ts';
import type { Operation } from '../../change/origin.ts';
import { type Change, changeOf, write } from '../../change/write.ts';
import type { System } from '../../party/system/login.ts';
import { hasPassed } from '../auction/read.ts';
import { auctionUpdate, endedByRegistration } from '../auction/report.ts';
import { domainChanges, domainRow } from '../domain/change.ts';
import { loadDomains } from '../domain/read.ts';
import { type DomainRecord, loadParties, problemsOf } from '../domain/record.ts';
import { nameConflict } from '../name.ts';
import { closingUpdate } from '../retained/dispute.ts';
import {
  isNameUnchanged,
  type NameState,
  passwordUpdate,
  readNameState,
  statementsOfConsequences,
} from './name-state.ts';

export interface Registered {
  isNew: boolean;
  isDisputeClosed: boolean;
}

/**
 * Registers the domain for a system. Consumes the secrets that the name needs: the code of its paid auction, the
 * password of its dispute, or else the password of its reservation. A domain that equals the record stays as it is.
 * Throws `not_found` with a problem for each unknown registrar and contact, and `conflict` for the first obstacle.
 */
export async function registerDomain(
  operation: Operation,
  system: Pick<System, 'id'>,
  record: DomainRecord,
  secrets: readonly string[],
): Promise<Registered> {
  const { db, origin } = operation;
  const { name } = record;
  const { at } = origin.request;
  const fits = await matcherOf(secrets);
  const look = () => lookAt(db, record, fits, at);
  const judge = (seen: Awaited<ReturnType<typeof look>>): Change<Registered> => {
    const { state, present, parties, matches } = seen;
    const row = domainRow(record, present, parties);
    const change: Change<Registered> = {
      ...changeOf(operation, { type: 'domain', key: name, registrar: record.registrar }),
      action: 'create',
      changes: row.changes,
      outcome: { isNew: false, isDisputeClosed: false },
    };
    if (present) {
      if (Object.keys(row.changes).length === 0) return change;
      throw nameConflict(name, 'registered');
    }
    throwProblems(problemsOf([record], parties));
    const consumed = judgeSecrets(name, state, { ...matches, isAny: secrets.length > 0 }, at);
    const registration = {
      ...{ name, systemId: system.id, registeredAt: at.toISOString(), consumed },
      lastEntry: sql`(select max(id) from history)`,
    };
    const { isWritten } = change;
    return {
      ...change,
      onlyIf: isNameUnchanged(name, state.lastEntryId),
      statements: [
        ...domainChanges(operation, 'create', JSON.stringify([row]), isWritten).statements,
        ...statementsOfConsequences(db, change, consequences(operation, seen, consumed)),
        // Moving in removes domains but not what their registrations consumed.
        db.delete(registrations).where(sql`${registrations.name} = ${name} and ${isWritten}`),
        // Last, so that it knows the newest entry.
        insertRows(db, registrations, registration, sql`where ${isWritten}`),
      ],
      outcome: { isNew: true, isDisputeClosed: state.dispute !== undefined },
    };
  };
  return (await write(db, origin.request, { look, judge })).outcome;
}

async function lookAt(
  db: Database,
  record: DomainRecord,
  fits: Awaited<ReturnType<typeof matcherOf>>,
  at: Date,
) {
  const { name } = record;
  const state = await readNameState(db, name, at);
  const { auction, dispute, reservation, isRegistered } = state;
  return {
    name,
    state,
    present: isRegistered ? (await loadDomains(db, [name])).get(name) : undefined,
    parties: await loadParties(db, [record]),
    matches: {
      code: await fits(auction?.registrationCode),
      disputePassword: await fits(dispute?.password),
      password: await fits(reservation?.password),
    },
    digest: await sha256Hex(reservation?.password ?? ''),
  };
}

function consequences(
  operation: Operation,
  { name, state: { auction, dispute }, digest }: Awaited<ReturnType<typeof lookAt>>,
  consumed: Consumed,
) {
  const { origin } = operation;
  const password = randomHex(16);
  const usedPasswords = sql`ifnull(used_passwords || ' ', '') || ${digest}`;
  return [
    consumed.auction && auction && auctionUpdate(operation, auction, endedByRegistration),
    consumed.password !== undefined && passwordUpdate(operation, name, { password, usedPasswords }),
    dispute &&
      closingUpdate(
        operation,
        dispute,
        origin.request.at.toISOString(),
        'its password registered the name',
      ),
  ];
}

interface SecretMatches {
  code: boolean;
  disputePassword: boolean;
  password: boolean;
  isAny: boolean;
}

/** Returns the obstacle to a registration without a secret, with its sentence. */
export function findObstacle(name: string, state: NameState, now: Date): Problem | undefined {
  const needs = findNeeds(name, state, now, false);
  return needs instanceof RegistryError ? needs.problems[0] : undefined;
}

/** Returns the secrets that a registration needs, or the refusal that it gets with all of them, or without one. */
export function findNeeds(
  name: string,
  state: NameState,
  now: Date,
  isWithAll = true,
): Consumed | RegistryError {
  if (state.isRegistered) return nameConflict(name, 'registered');
  const isGiven = (secret: string | null | undefined) => isWithAll && secret != null;
  const matches = {
    code: isGiven(state.auction?.registrationCode),
    disputePassword: isGiven(state.dispute?.password),
    password: isGiven(state.reservation?.password),
    isAny: false,
  };
  return orRefusal(() => judgeSecrets(name, state, matches, now));
}

/** Returns the secrets that the registration consumes. Throws `conflict` for the first obstacle. */
function judgeSecrets(name: string, state: NameState, matches: SecretMatches, now: Date): Consumed {
  const { isBlocked, dispute, auction, reservation } = state;
  const given = matches.isAny ? 'wrong' : 'missing';
  if (isBlocked) throw nameConflict(name, 'blocked');
  if (dispute && !matches.disputePassword) {
    const isWon = dispute.password !== null;
    throw nameConflict(name, isWon ? `dispute_password_${given}` : 'disputed');
  }
  const consumed: Consumed = dispute ? { disputeId: dispute.id } : {};
  if (auction?.status === 'started') throw nameConflict(name, 'in_auction');
  if (auction?.status === 'awaiting_payment') throw nameConflict(name, 'awaiting_payment');
  if (auction) {
    const { id, registrationCode, registrationDeadline: deadline } = auction;
    if (!matches.code || registrationCode === null) {
      throw nameConflict(name, `code_${given}`, 'registration_code');
    }
    if (deadline !== null && hasPassed(deadline, now)) {
      const what = `had to be registered by ${deadline} with this code`;
      throw nameConflict(name, 'code_late', 'registration_code', what);
    }
    consumed.auction = { id, registrationCode };
  }
  if (reservation && !auction && !dispute) {
    if (reservation.password === null) throw nameConflict(name, 'reserved');
    if (!matches.password) throw nameConflict(name, `password_${given}`, 'password');
    consumed.password = reservation.password;
  }
  return consumed;
}
