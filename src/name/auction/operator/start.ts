import { type SQL, sql } from 'drizzle-orm';
import { auctions } from '../../../../drizzle/schema.ts';
import { jsonArrays, rowsIn } from '../../../base/database/json-rows.ts';
import type { Database } from '../../../base/database/open.ts';
import { RegistryError, throwProblems } from '../../../base/error.ts';
import type { Operation } from '../../../change/origin.ts';
import { changeEach, changesOfRows } from '../../../change/write-many.ts';
import { type AuctionObstacle, isUnobstructed } from '../obstacles.ts';
import {
  type AuctionRecord,
  inProgress,
  insertAuctions,
  newAuction,
  platformMessage,
  platformRule,
} from '../start.ts';
import { findAuctionObstacles } from './obstacles.ts';

interface StartOptions {
  platform?: string | undefined;
  /** `in_auction` skips a name whose auction is in progress. */
  ignored?: readonly AuctionObstacle[];
}

/**
 * Starts auctions, all or none, in one batch, and returns how many. Counts a repeated name once, and skips existing
 * UUIDs. Throws `taken` with a problem for each obstacle, `invalid` for the platform, and `changed_meanwhile` if an
 * obstacle has just appeared.
 */
export async function startAuctions(
  operation: Operation,
  names: readonly AuctionRecord[],
  { platform, ignored = [] }: StartOptions = {},
): Promise<number> {
  const { db, origin } = operation;
  const { at } = origin.request;
  const kind = platformOf(platform);
  throwProblems(await findAuctionObstacles(operation, names, ignored));
  const distinct = new Map(names.map((record) => [record.uuid ?? record.name, record]));
  const all = Array.from(distinct.values(), (record) => newAuction(record, kind, at));
  const isMissing = sql`not exists (select 1 from ${auctions} where uuid = row ->> 'uuid')
    and (row ->> 'status' <> 'started' or not exists (${inProgress(sql`row ->> 'name'`)}))`;
  const started = jsonArrays(all).map((array) => {
    const rows = sql`select row from (${rowsIn(array)}) where ${isMissing}`;
    return changesOfRows('auction', 'create', rows, [insertAuctions(db, rows)]);
  });
  const isFree = isUnobstructed(names, ignored, at);
  return (await changeEach(operation, { started }, isFree)).started;
}

function platformOf(text: string | undefined): string | null {
  if (text === undefined) return null;
  const platform = platformRule().safeParse(text);
  if (platform.success) return platform.data;
  throw new RegistryError('invalid', `${JSON.stringify(text)} ${platformMessage}`, 'platform');
}

export function deleteAuctions(db: Database, rows: SQL) {
  return db.delete(auctions).where(sql`${auctions.uuid} in (select row ->> 'uuid' from (${rows}))`);
}
