import { and, eq, sql } from 'drizzle-orm';
import { type AuctionStatus, auctions } from '../../drizzle/schema.ts';
import type { Database } from '../database/open.ts';
import { untilWritten } from '../database/retry.ts';
import { randomHex } from '../digest.ts';
import type { DomainName } from '../domain/name.ts';
import { RegistryError } from '../error.ts';
import { difference, type Origin, recordIfChanged } from '../history.ts';
import { type Auction, loadAuction, subjectOf } from './read.ts';
import { inProgress, insertAuctions, newAuction } from './start.ts';

/** What the auction centre may report: `started` and `domain_registered` are the registry's own to say. */
export const reportableStatuses = [
  'awaiting_payment',
  'no_bids',
  'payment_received',
  'payment_not_received',
  'domain_not_registered',
] as const satisfies AuctionStatus[];

/** What the auction centre reports; a field that is undefined stays. */
export interface AuctionReport {
  status?: (typeof reportableStatuses)[number] | undefined;
  /** A day or an instant; null for none. */
  registrationDeadline?: string | null | undefined;
}

/**
 * Does what the auction centre reports, once however often it is said: a status that is `payment_received` from now on
 * gets a registration code, and one among `restartStatuses` puts the name up for auction again unless it is already.
 * Two round trips. Throws `not_found`.
 */
export async function updateAuction(
  db: Database,
  origin: Origin,
  uuid: string,
  { status, registrationDeadline }: AuctionReport,
  restartStatuses: readonly AuctionStatus[],
): Promise<Auction> {
  return untilWritten(async () => {
    const auction = await loadAuction(db, uuid);
    const isNewStatus = status !== undefined && status !== auction.status;
    const changes: AuctionChanges = {
      registrationDeadline,
      ...(isNewStatus && { status, registrationCode: registrationCodeFor(status) }),
    };
    const restart = isNewStatus && restartStatuses.includes(status);
    return writeChanges(db, auction, changes, origin, restart);
  });
}

/**
 * Ends a paid auction as `domain_registered`, and returns it: whoever has the registration code has registered the name.
 * A dry run checks and writes nothing. Throws `invalid` for another status or a wrong code, `not_found`.
 */
export async function registerAuction(
  db: Database,
  origin: Origin,
  uuid: string,
  registrationCode: string,
  isDryRun = false,
): Promise<Auction> {
  let wasAccepted = false;
  return untilWritten(async (isRepeated) => {
    const auction = await loadAuction(db, uuid);
    if (isRepeated && wasAccepted && auction.status === 'domain_registered') return auction;
    checkRegistration(auction, registrationCode);
    wasAccepted = true;
    const ended = { status: 'domain_registered', registrationCode: null } as const;
    return isDryRun ? { ...auction, ...ended } : writeChanges(db, auction, ended, origin);
  });
}

function checkRegistration(auction: Auction, registrationCode: string): void {
  const name = JSON.stringify(auction.name);
  if (auction.registrationCode === null) {
    const message = `the auction of ${name} is ${auction.status}, and only one that is payment_received ends with a registration`;
    throw new RegistryError('invalid', message, 'status');
  }
  if (!isSameCode(registrationCode, auction.registrationCode)) {
    const message = `this is not the registration code of the auction of ${name}`;
    throw new RegistryError('invalid', message, 'registration_code');
  }
}

/** Takes the same time wherever the two differ. */
function isSameCode(given: string, code: string): boolean {
  let difference = given.length ^ code.length;
  for (let index = 0; index < code.length; index++) {
    difference |= given.charCodeAt(index) ^ code.charCodeAt(index);
  }
  return difference === 0;
}

type AuctionChanges = Partial<
  Pick<Auction, 'status' | 'registrationCode'> & Pick<AuctionReport, 'registrationDeadline'>
>;

/** 32 hexadecimal digits; none in any status but one. */
function registrationCodeFor(status: AuctionStatus): string | null {
  return status === 'payment_received' ? randomHex(16) : null;
}

/** Writes what differs, with its history; undefined if somebody else wrote to the auction first. */
async function writeChanges(
  db: Database,
  auction: Auction,
  changes: AuctionChanges,
  origin: Origin,
  restart = false,
): Promise<Auction | undefined> {
  const recorded = difference(auction, changes);
  if (Object.keys(recorded).length === 0) return auction;
  const written = { updatedAt: origin.at.toISOString(), version: auction.version + 1 };
  const [updated] = await db.batch([
    db
      .update(auctions)
      .set({ ...changes, ...written })
      .where(and(eq(auctions.id, auction.id), eq(auctions.version, auction.version)))
      .returning(),
    recordIfChanged(db, origin, subjectOf(auction), 'update', recorded),
    ...(restart ? restartIfChanged(db, origin, auction) : []),
  ]);
  return updated[0];
}

/** Behind a change and its history: starts the name's next auction if they were written and none is in progress. */
function restartIfChanged(db: Database, origin: Origin, name: DomainName) {
  const next = newAuction(name, origin);
  const isFree = sql`not exists (${inProgress(next.name)})`;
  const source = sql`select ${JSON.stringify(next)} as row where changes() > 0 and ${isFree}`;
  return [
    insertAuctions(db, source),
    recordIfChanged(db, origin, subjectOf(next), 'create', next.changes),
  ] as const;
}
