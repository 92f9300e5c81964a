import { eq, sql } from 'drizzle-orm';
import { auctions } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import type { KeptFor } from '../../change/outcome.ts';
import { type Change, type Origin, type Written, write } from '../../change/write.ts';
import type { DomainName } from '../domain/name.ts';
import { type AuctionObstacle, obstacleTo, selectObstacles } from './obstacles.ts';
import { type Auction, auctionSubject, isStarted } from './read.ts';
import { auctionCreation, inProgress, newAuction } from './start.ts';

export type AuctionInProgress = Pick<Auction, 'uuid' | 'name' | 'status' | 'platform'> & {
  isNew: boolean;
};

/**
 * Returns the name's auction if one is in progress. Two round trips. Throws `conflict` for the first of the other
 * obstacles.
 */
export function startAuction(
  db: Database,
  origin: Origin,
  name: DomainName,
  platform: string | null,
): Promise<Written<AuctionInProgress>> {
  const { actor, request } = origin;
  const obstacles = selectObstacles(sql`select ${name.name} as name`, request.at);
  const { uuid, status } = auctions;
  const look = async (keptFor: KeptFor) => {
    const [kept, found, [running]] = await db.batch([
      keptFor(actor.keyHolder ?? ''),
      db.select({ obstacle: sql<AuctionObstacle>`obstacle` }).from(sql`(${obstacles})`),
      db
        .select({ uuid, name: auctions.name, status, platform: auctions.platform })
        .from(auctions)
        .where(sql`${eq(auctions.name, name.name)} and ${isStarted}`),
    ]);
    return { kept, obstacle: found[0]?.obstacle, running };
  };
  const judge = ({ obstacle, running }: Awaited<ReturnType<typeof look>>) => {
    if (running) {
      const outcome = { ...running, isNew: false };
      const subject = auctionSubject(running);
      const onlyIf = sql`exists (${inProgress(name.name)})`;
      return { by: actor, action: 'create' as const, subject, changes: {}, onlyIf, outcome };
    }
    if (obstacle) throw obstacleTo(name.name, obstacle, 'domain');
    const next = newAuction(name, platform, request.at);
    return {
      ...auctionCreation(db, origin, next, sql`not exists (${obstacles})`),
      outcome: { uuid: next.uuid, name: next.name, status: next.status, platform, isNew: true },
    } satisfies Change<AuctionInProgress>;
  };
  return write<Awaited<ReturnType<typeof look>>, AuctionInProgress>(db, request, { look, judge });
}
