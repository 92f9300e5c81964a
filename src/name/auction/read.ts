import { and, asc, desc, eq, gte, type SQL, sql } from 'drizzle-orm';
import { type AuctionStatus, auctions, history, isOneOf } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { retry } from '../../base/database/retry.ts';
import { RegistryError } from '../../base/error.ts';
import { asciiLowerCase } from '../../base/text/ascii-case.ts';
import { dayOf, isDay } from '../../base/time/day.ts';

export type Auction = typeof auctions.$inferSelect;

/** Costs one round trip. */
export async function listStartedAuctions(db: Database): Promise<Auction[]> {
  return retry(() =>
    db.select().from(auctions).where(isStarted).orderBy(asc(auctions.createdAt), asc(auctions.id)),
  );
}

/** True unless it was over when it was first recorded, as one that moved in may be. */
const wasListed = sql`coalesce((
  select max(changes ->> '$.status.to' = 'started') from ${history}
  where subject = 'auction' and subject_key = ${auctions.name} and subject_uuid = ${auctions.uuid}
), 1)`;

/** Auctions that were on the list here, the newest first. Costs one round trip and reads no other auctions. */
export async function listAuctionsSince(
  db: Database,
  since: string,
  limit: number,
): Promise<Pick<Auction, 'uuid' | 'name' | 'punycode' | 'status' | 'createdAt'>[]> {
  const { id, uuid, name, punycode, status, createdAt } = auctions;
  return retry(() =>
    db
      .select({ uuid, name, punycode, status, createdAt })
      .from(auctions)
      .where(and(gte(createdAt, since), wasListed))
      .orderBy(desc(createdAt), desc(id))
      .limit(limit),
  );
}

export const holdingStatuses = [
  'started',
  'awaiting_payment',
  'payment_received',
] as const satisfies AuctionStatus[];
export const isHolding = isOneOf(auctions.status, holdingStatuses);

/** A literal, because SQLite would not choose the partial index for a bound value. */
export const isStarted = sql`${auctions.status} = 'started'`;

/** Takes a UUID or a name, whose newest auction it returns. Throws `not_found`. */
export async function getAuctionOf(db: Database, uuidOrName: string): Promise<Auction> {
  if (!uuidOrName.includes('.')) return getAuction(db, uuidOrName);
  const [auction] = await db
    .select()
    .from(auctions)
    .where(eq(auctions.name, uuidOrName))
    .orderBy(desc(auctions.id))
    .limit(1);
  if (auction) return auction;
  const message = `there is no auction of ${JSON.stringify(uuidOrName)}`;
  throw new RegistryError('not_found', message, 'name');
}

/** Ignores the case of the UUID. Throws `not_found`. */
export async function getAuction(db: Database, uuid: string): Promise<Auction> {
  const [auction] = await db
    .select()
    .from(auctions)
    .where(eq(auctions.uuid, asciiLowerCase(uuid)));
  if (!auction) {
    throw new RegistryError('not_found', `there is no auction ${JSON.stringify(uuid)}`, 'uuid');
  }
  return auction;
}

/** Null unless the auction is paid. A former registry may have left a code in another status. */
export function registrationCodeOf({ status, registrationCode }: Auction): string | null {
  return status === 'payment_received' ? registrationCode : null;
}

export function isAuctionUnchanged({ id, version }: Auction): SQL {
  return sql`exists (select 1 from ${auctions} where id = ${id} and version = ${version})`;
}

export function auctionSubject({ name, uuid }: Pick<Auction, 'name' | 'uuid'>) {
  return { type: 'auction', key: name, uuid } as const;
}

/** A day lasts to its end in UTC. */
export function hasPassed(deadline: string, now: Date): boolean {
  return isDay(deadline) ? deadline < dayOf(now) : Date.parse(deadline) < now.getTime();
}
