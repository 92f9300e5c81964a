import { max, sql } from 'drizzle-orm';
import { history } from '../../../drizzle/schema.ts';
import { nothingSince } from '../../change/history/search.ts';
import type { Operation } from '../../change/origin.ts';
import { appendStatements, type Change, write } from '../../change/write.ts';
import { type AuctionObstacle, selectObstacles } from '../auction/obstacles.ts';
import { auctionStart, newAuction } from '../auction/start.ts';
import { loadDomains } from '../domain/read.ts';
import { domainRemoval } from '../domain/save.ts';
import { type DomainName, nameConflict } from '../name.ts';

/**
 * Removes the domain and starts its auction, in one batch. Returns whether there was a domain. Throws `conflict` if an
 * obstacle prevents the auction.
 */
export async function releaseDomain(
  operation: Operation,
  { name, punycode }: DomainName,
): Promise<boolean> {
  const { db, origin } = operation;
  const { at } = origin.request;
  const obstacles = sql`
    select obstacle from (${selectObstacles(sql`select ${name} as name`, at)})
      where obstacle <> 'registered'`;
  const look = async () => {
    const [[newest], [first]] = await db.batch([
      db.select({ id: max(history.id) }).from(history),
      db.select({ obstacle: sql<AuctionObstacle>`obstacle` }).from(sql`(${obstacles})`),
    ]);
    // A change in between fails `onlyIf`.
    const present = (await loadDomains(db, [name])).get(name);
    return { lastEntryId: newest?.id ?? 0, obstacle: first?.obstacle, present };
  };
  const judge = ({ lastEntryId, obstacle, present }: Awaited<ReturnType<typeof look>>) => {
    const removal = domainRemoval(operation, name, present);
    // An earlier call may have released it.
    if (!present) return { ...removal, outcome: false };
    if (obstacle) throw nameConflict(name, obstacle);
    const change: Change<boolean> = {
      ...removal,
      onlyIf: sql`${nothingSince(lastEntryId, 'domain', [name])} and not exists (${obstacles})`,
      outcome: true,
    };
    const next = newAuction({ name, punycode }, null, at);
    return appendStatements(change, auctionStart(operation, next, change.isWritten));
  };
  return (await write(db, origin.request, { look, judge })).outcome;
}
