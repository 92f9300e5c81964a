import { sql } from 'drizzle-orm';
import { auctions, disputes, domains, retainedDomains } from '../../drizzle/schema.ts';
import { jsonArrays } from '../database/json-rows.ts';
import type { Database } from '../database/open.ts';
import type { DomainName } from '../domain/name.ts';
import type { RecordProblem } from '../error.ts';
import { isInForce } from '../retained-domain/in-force.ts';
import { dayOf } from '../time/day.ts';
import type { Origin } from '../write.ts';

/** The reasons why a name cannot be put up for auction. */
const obstacles = {
  domain: 'is a registered domain',
  blocked: 'is blocked',
  payment_received: 'has a paid auction',
  reserved: 'is reserved; --even-if-retained starts the auction',
  disputed: 'is disputed; --even-if-retained starts the auction',
  started: 'already has an auction in progress',
} as const;

export type AuctionObstacle = keyof typeof obstacles;

/**
 * A problem for each of the names that is a domain, is blocked, is reserved, is disputed today, or has a paid auction
 * or one in progress, which comes after the others; none for what is ignored.
 */
export async function findAuctionObstacles(
  db: Database,
  { request }: Pick<Origin, 'request'>,
  names: readonly DomainName[],
  ignored: readonly AuctionObstacle[],
): Promise<RecordProblem<DomainName>[]> {
  const records = new Map(names.map((record) => [record.name, record]));
  const today = dayOf(request.at);
  const problems: RecordProblem<DomainName>[] = [];
  for (const array of jsonArrays(records.keys())) {
    const rows = await db.all<{ name: string; obstacle: AuctionObstacle }>(sql`
      with asked as (select value as name from json_each(${array}))
      select * from (
        select name, 'domain' as obstacle from ${domains} where name in (select name from asked)
        union all select name, status from ${retainedDomains}
          where name in (select name from asked)
        union all select name, status from ${auctions}
          where name in (select name from asked) and status in ('payment_received', 'started')
        union all select distinct name, 'disputed' from ${disputes}
          where name in (select name from asked) and ${isInForce(today)}
      )
      order by obstacle = 'started', name`);
    for (const { name, obstacle } of rows) {
      if (ignored.includes(obstacle)) continue;
      const message = `${JSON.stringify(name)} ${obstacles[obstacle]}`;
      problems.push({ reason: 'taken', message, field: 'name', record: records.get(name)! });
    }
  }
  return problems;
}
