import { and, asc, eq, gt, type SQL, sql } from 'drizzle-orm';
import { type AuctionStatus, auctions } from '../drizzle/schema.ts';
import { type Database, isUniqueViolation, jsonArrays, retried, untilWritten } from './database.ts';
import type { DomainName } from './domain-name.ts';
import { type Problem, RegistryError } from './error.ts';
import { difference, type Origin, recordEach, recordIfChanged } from './history.ts';

export type Auction = typeof auctions.$inferSelect;

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

/** The auctions in progress, in the order in which they started. One round trip. */
export async function listStartedAuctions(db: Database): Promise<Auction[]> {
  return retried(() =>
    db.select().from(auctions).where(isStarted).orderBy(asc(auctions.createdAt), asc(auctions.id)),
  );
}

// As a literal: a bound value would not let the partial index be chosen.
const isStarted = sql`${auctions.status} = 'started'`;

/** Auctions of every status, or of one, in the order of their ids, from the one behind `after`. */
export async function listAuctions(
  db: Database,
  { status, page }: { status?: AuctionStatus; page: { after?: number; limit: number } },
): Promise<Auction[]> {
  return db
    .select()
    .from(auctions)
    .where(and(status && eq(auctions.status, status), gt(auctions.id, page.after ?? 0)))
    .orderBy(asc(auctions.id))
    .limit(page.limit);
}

/** The auction with this UUID, in either case. One round trip. Throws `not_found`. */
export async function getAuction(db: Database, uuid: string): Promise<Auction> {
  return retried(() => loadAuction(db, uuid));
}

async function loadAuction(db: Database, uuid: string): Promise<Auction> {
  const [auction] = await db.select().from(auctions).where(eq(auctions.uuid, uuid.toLowerCase()));
  if (!auction) throw new RegistryError('not_found', 'Record not found');
  return auction;
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

/** 32 hexadecimal digits, 122 random bits; none in any status but one. */
function registrationCodeFor(status: AuctionStatus): string | null {
  return status === 'payment_received' ? crypto.randomUUID().replaceAll('-', '') : null;
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
  const isInProgress = sql`select 1 from ${auctions} where ${eq(auctions.name, next.name)} and ${isStarted}`;
  const source = sql`select ${JSON.stringify(next)} as row where changes() > 0 and not exists (${isInProgress})`;
  return [
    insertAuctions(db, source),
    recordIfChanged(db, origin, subjectOf(next), 'create', next.changes),
  ] as const;
}

/**
 * Puts the names up for auction, all of them or none, and returns how many. A name that is given twice counts once; a
 * dry run checks and writes nothing. Throws `taken`, with a problem for each name that has an auction in progress.
 */
export async function startAuctions(
  db: Database,
  origin: Origin,
  names: readonly DomainName[],
  isDryRun = false,
): Promise<number> {
  const started = new Map(names.map((each) => [each.name, newAuction(each, origin)]));
  if (isDryRun) {
    await refuseInProgress(db, started.keys());
    return started.size;
  }
  const [first, ...rest] = jsonArrays(started.values()).flatMap((rows) =>
    startEach(db, origin, rows),
  );
  try {
    if (first) await db.batch([first, ...rest]);
  } catch (error) {
    if (isUniqueViolation(error, 'auctions.name')) await refuseInProgress(db, started.keys());
    throw error;
  }
  return started.size;
}

function startEach(db: Database, origin: Origin, rows: string) {
  const recorded = sql`
    select value ->> 'name' as key, value ->> 'uuid' as uuid, value -> 'changes' as changes
    from json_each(${rows})`;
  return [
    insertAuctions(db, sql`select value as row from json_each(${rows})`),
    recordEach(db, origin, 'auction', 'create', recorded),
  ] as const;
}

function newAuction({ name, punycode }: DomainName, origin: Origin) {
  const fields = { name, punycode, status: 'started' };
  return {
    ...fields,
    uuid: crypto.randomUUID() as string,
    startedAt: origin.at.toISOString(),
    changes: difference({}, fields),
  };
}

/** Inserts what `source` gives: the JSON of a new auction in its column `row`. */
function insertAuctions(db: Database, source: SQL) {
  return db.insert(auctions).select(sql`
    select null, row ->> 'uuid', row ->> 'name', row ->> 'punycode', row ->> 'status', null, null, 1,
      row ->> 'startedAt', row ->> 'startedAt'
    from (${source})`);
}

async function refuseInProgress(db: Database, names: Iterable<string>): Promise<void> {
  const problems: Problem[] = [];
  for (const chunk of jsonArrays(names)) {
    const started = await db
      .select({ name: auctions.name })
      .from(auctions)
      .where(and(isStarted, sql`${auctions.name} in (select value from json_each(${chunk}))`))
      .orderBy(asc(auctions.name));
    for (const { name } of started) {
      const message = `${JSON.stringify(name)} has an auction in progress already`;
      problems.push({ reason: 'taken', message, field: 'name' });
    }
  }
  const [first, ...rest] = problems;
  if (first) throw new RegistryError([first, ...rest]);
}

function subjectOf({ name, uuid }: Pick<Auction, 'name' | 'uuid'>) {
  return { type: 'auction', key: name, uuid } as const;
}
