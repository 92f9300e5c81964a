import { and, asc, eq, gt } from 'drizzle-orm';
import { type AuctionStatus, auctions } from '../../../../drizzle/schema.ts';
import type { Database } from '../../../base/database/open.ts';
import type { RowsAfter } from '../../../base/database/paging.ts';
import type { Auction } from '../read.ts';

export async function listAuctions(
  db: Database,
  { status, page }: { status?: AuctionStatus | undefined; page: RowsAfter<{ id: number }> },
): Promise<Auction[]> {
  return db
    .select()
    .from(auctions)
    .where(and(status && eq(auctions.status, status), gt(auctions.id, page.after?.id ?? 0)))
    .orderBy(asc(auctions.id))
    .limit(page.limit);
}
