import { eq, type SQL, sql } from 'drizzle-orm';
import { type AuctionStatus, auctions } from '../../../drizzle/schema.ts';
import { insertRows, type NewRow, valuesInJson } from '../../base/database/insert-rows.ts';
import { jsonArrays, rowsIn } from '../../base/database/json-rows.ts';
import type { Database } from '../../base/database/open.ts';
import { RegistryError, throwProblems } from '../../base/error.ts';
import { onFirstUse } from '../../base/on-first-use.ts';
import { textField } from '../../base/text/field.ts';
import { difference } from '../../change/history/changes.ts';
import type { Operation } from '../../change/origin.ts';
import type { KeptFor } from '../../change/outcome.ts';
import { type Change, statementsOf, type Written, write } from '../../change/write.ts';
import { changeEach, changesOfRows } from '../../change/write-many.ts';
import type { DomainName } from '../domain/name.ts';
import {
  type AuctionObstacle,
  findAuctionObstacles,
  isUnobstructed,
  obstacleTo,
  selectObstacles,
} from './obstacles.ts';
import { type Auction, auctionSubject, isStarted } from './read.ts';

export const maximumPlatformLength = 50;

const platformMessage = `is not a text of 1 to ${maximumPlatformLength} characters`;

/** What the auction centre calls the kind of the auction. */
export const platformRule = onFirstUse(() => textField(platformMessage, maximumPlatformLength));

/** An auction without a status starts; one without a UUID gets a new one. */
interface AuctionRecord extends DomainName {
  uuid?: string | undefined;
  status?: AuctionStatus | undefined;
  registrationCode?: string | null | undefined;
}

interface StartOptions {
  platform?: string | undefined;
  /** With `started`, a name whose auction is in progress is left out. */
  ignored?: readonly AuctionObstacle[];
}

/**
 * Starts auctions, all or none, and returns how many; a repeated name counts once, and a UUID that is there is left out.
 * One batch. Throws `taken`, with a problem for each name that has an obstacle, `invalid` for the platform, and
 * `changed_meanwhile` if an obstacle has just come up.
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
  const distinct = new Map(names.map((each) => [each.uuid ?? each.name, each]));
  const all = Array.from(distinct.values(), (each) => newAuction(each, kind, at));
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

function auctionCreation({ db, origin: { actor } }: Operation, next: NewAuction, onlyIf: SQL) {
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
export function auctionStart(operation: Operation, next: NewAuction, onlyIf: SQL) {
  const { db, origin } = operation;
  return statementsOf(db, origin.request, auctionCreation(operation, next, onlyIf));
}

function inProgress(name: SQL | string): SQL {
  return sql`select 1 from ${auctions} where ${auctions.name} = ${name} and ${isStarted}`;
}

/** Takes a query that has each auction as JSON in its column `row`. */
export function insertAuctions(db: Database, rows: SQL) {
  return insertRows(db, auctions, valuesInJson(auctions), sql`from (${rows})`);
}

export function deleteAuctions(db: Database, rows: SQL) {
  return db.delete(auctions).where(sql`${auctions.uuid} in (select row ->> 'uuid' from (${rows}))`);
}

export type AuctionInProgress = Pick<Auction, 'uuid' | 'name' | 'status' | 'platform'> & {
  isNew: boolean;
};

/**
 * Returns the name's auction if one is in progress. Two round trips. Throws `conflict` for the first of the other
 * obstacles.
 */
export function startAuction(
  operation: Operation,
  name: DomainName,
  platform: string | null,
): Promise<Written<AuctionInProgress>> {
  const { db, origin } = operation;
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
      ...auctionCreation(operation, next, sql`not exists (${obstacles})`),
      outcome: { uuid: next.uuid, name: next.name, status: next.status, platform, isNew: true },
    } satisfies Change<AuctionInProgress>;
  };
  return write<Awaited<ReturnType<typeof look>>, AuctionInProgress>(db, request, { look, judge });
}
