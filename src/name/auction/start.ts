import { type SQL, sql } from 'drizzle-orm';
import { type AuctionStatus, auctions } from '../../../drizzle/schema.ts';
import { insertRows, type NewRow, valuesInJson } from '../../base/database/insert-rows.ts';
import { jsonArrays, rowsIn } from '../../base/database/json-rows.ts';
import type { Database } from '../../base/database/open.ts';
import { RegistryError, throwProblems } from '../../base/error.ts';
import { onFirstUse } from '../../base/on-first-use.ts';
import { textField } from '../../base/text/field.ts';
import { difference } from '../../change/history/changes.ts';
import {
  type Change,
  type ChangeOptions,
  changeEach,
  changesOfRows,
  type Origin,
  statementsOf,
} from '../../change/write.ts';
import type { DomainName } from '../domain/name.ts';
import {
  type AuctionObstacle,
  findAuctionObstacles,
  isUnobstructed,
  type ObstacleHints,
} from './obstacles.ts';
import { auctionSubject, isStarted } from './read.ts';

export const maximumPlatformLength = 50;

const platformMessage = `is not a text of 1 to ${maximumPlatformLength} characters`;

/** What the auction centre calls the kind of the auction. */
export const platformRule = onFirstUse(() => textField(platformMessage, maximumPlatformLength));

interface ImportOptions extends ChangeOptions {
  ignored?: readonly AuctionObstacle[];
}

interface StartOptions extends ImportOptions {
  platform?: string | undefined;
  hints?: ObstacleHints;
}

/**
 * All or none; a repeated name counts once. Returns how many. Throws `taken`, with a problem for each name that already
 * has an auction in progress or must not be put up for auction, and `invalid` for the platform.
 */
export async function startAuctions(
  db: Database,
  origin: Origin,
  names: readonly DomainName[],
  { platform, ignored = [], hints, isDryRun = false }: StartOptions = {},
): Promise<number> {
  const started = newAuctions(names, platformOf(platform), origin.request.at);
  const check = async () =>
    throwProblems(await findAuctionObstacles(db, origin, names, ignored, hints));
  await check();
  try {
    const isFree = isUnobstructed(names, ignored, origin.request.at);
    return await startEach(db, origin, started, sql`true`, isFree, { isDryRun });
  } catch (error) {
    // Something came in between.
    if (error instanceof RegistryError) await check();
    throw error;
  }
}

/** An auction without a status starts; one without a UUID gets a new one. */
export interface AuctionRecord extends DomainName {
  uuid?: string | undefined;
  status?: AuctionStatus | undefined;
  registrationCode?: string | null | undefined;
}

/**
 * Adds the auctions whose UUID is not there, and returns how many; one that is in progress only if its name has no
 * other in progress. An interrupted import of auctions that start, or that have UUIDs, can be repeated. One batch. If
 * obstacles are to be ignored, throws `changed_meanwhile` for any other.
 */
export async function importAuctions(
  db: Database,
  origin: Origin,
  records: readonly AuctionRecord[],
  { isDryRun = false, ignored }: ImportOptions = {},
): Promise<number> {
  const { at } = origin.request;
  const started = newAuctions(records, null, at);
  const isMissing = sql`not exists (select 1 from ${auctions} where uuid = row ->> 'uuid')
    and (row ->> 'status' <> 'started' or not exists (${inProgress(sql`row ->> 'name'`)}))`;
  const isFree = ignored && isUnobstructed(records, ['started', ...ignored], at);
  return startEach(db, origin, started, isMissing, isFree, { isDryRun });
}

function platformOf(text: string | undefined): string | null {
  if (text === undefined) return null;
  const platform = platformRule().safeParse(text);
  if (platform.success) return platform.data;
  throw new RegistryError('invalid', `${JSON.stringify(text)} ${platformMessage}`, 'platform');
}

export function newAuction(
  {
    name,
    punycode,
    uuid = crypto.randomUUID(),
    status = 'started',
    registrationCode = null,
  }: AuctionRecord,
  platform: string | null,
  startedAt: Date,
) {
  const fields = { name, punycode, status, platform, registrationCode };
  const at = startedAt.toISOString();
  const row: NewRow<typeof auctions> = {
    uuid,
    ...fields,
    registrationDeadline: null,
    createdAt: at,
    updatedAt: at,
  };
  return { ...row, changes: difference({}, fields) };
}

type NewAuction = ReturnType<typeof newAuction>;

export function auctionCreation(
  db: Database,
  { actor }: Pick<Origin, 'actor'>,
  next: NewAuction,
  onlyIf: SQL,
) {
  return {
    by: actor,
    subject: auctionSubject(next),
    action: 'create',
    changes: next.changes,
    onlyIf,
    statements: (isWritten) => [
      insertAuctions(db, sql`select ${JSON.stringify(next)} as row where ${isWritten}`),
    ],
  } satisfies Omit<Change<never>, 'outcome'>;
}

/** The statements of a start that follows from another change. */
export function auctionStart(db: Database, origin: Origin, next: NewAuction, onlyIf: SQL) {
  return statementsOf(db, origin.request, auctionCreation(db, origin, next, onlyIf));
}

function newAuctions(
  names: readonly AuctionRecord[],
  platform: string | null,
  startedAt: Date,
): NewAuction[] {
  const distinct = new Map(names.map((each) => [each.uuid ?? each.name, each]));
  return [...distinct.values()].map((each) => newAuction(each, platform, startedAt));
}

export function inProgress(name: SQL | string): SQL {
  return sql`select 1 from ${auctions} where ${auctions.name} = ${name} and ${isStarted}`;
}

/** Takes a query that has each auction as JSON in its column `row`. */
export function insertAuctions(db: Database, rows: SQL) {
  return insertRows(db, auctions, valuesInJson(auctions), sql`from (${rows})`);
}

export function deleteAuctions(db: Database, rows: SQL) {
  return db.delete(auctions).where(sql`${auctions.uuid} in (select row ->> 'uuid' from (${rows}))`);
}

/** All or none; returns how many. A dry run only counts. */
async function startEach(
  db: Database,
  origin: Origin,
  all: readonly NewAuction[],
  condition: SQL,
  onlyIf: SQL | undefined,
  options: ChangeOptions,
): Promise<number> {
  const starting = jsonArrays(all).map(
    (rows) => sql`select row from (${rowsIn(rows)}) where ${condition}`,
  );
  const changes = starting.map((rows) =>
    changesOfRows('auction', 'create', rows, [insertAuctions(db, rows)]),
  );
  return (await changeEach(db, origin, { started: changes }, onlyIf, options)).started;
}
