import { and, notInArray, type SQL, sql } from 'drizzle-orm';
import {
  auctions,
  disputes,
  domains,
  isInForce,
  retainedDomains,
} from '../../../drizzle/schema.ts';
import { jsonArrays } from '../../base/database/json-rows.ts';
import { dayOf } from '../../base/time/day.ts';
import type { DomainName, NameObstacle } from '../name.ts';
import { isHolding } from './read.ts';

export type AuctionObstacle = Extract<
  NameObstacle,
  'registered' | 'blocked' | 'reserved' | 'disputed' | 'in_auction' | 'awaiting_payment' | 'paid'
>;

/**
 * Selects each `name` of another query that is a domain, is blocked, reserved or disputed today, or has an auction that
 * is in progress, awaits payment or is paid, with its `obstacle`. An auction in progress comes last, so that other
 * obstacles are named first. Ignores the auction `except`.
 */
export function selectObstacles(names: SQL, now: Date, except: string | null = null): SQL {
  return sql`
    with names as (${names})
    select * from (
      select name, 'registered' as obstacle from ${domains} where name in (select name from names)
      union all select name, status from ${retainedDomains}
        where name in (select name from names) and ifnull(last_day >= ${dayOf(now)}, true)
      union all select name, case status
          when 'started' then 'in_auction' when 'payment_received' then 'paid' else status end
        from ${auctions}
        where name in (select name from names)
          and ${isHolding} and uuid is not ${except}
      union all select distinct name, 'disputed' from ${disputes}
        where name in (select name from names) and ${isInForce(dayOf(now))}
    )
    order by obstacle = 'in_auction', name`;
}

export function isUnobstructed(
  names: readonly DomainName[],
  ignored: readonly AuctionObstacle[],
  now: Date,
  except?: string,
): SQL {
  const conditions = jsonArrays(names.map(({ name }) => name)).map(
    (array) => sql`not exists (
      select 1 from (${selectObstacles(sql`select value as name from json_each(${array})`, now, except)})
      where ${notInArray(sql`obstacle`, [...ignored])})`,
  );
  return and(sql`true`, ...conditions)!;
}
