import { eq, type SQL, sql } from 'drizzle-orm';
import { type AuctionStatus, auctions } from '../../../drizzle/schema.ts';
import { insertRows, type NewRow, valuesInJson } from '../../base/database/insert-rows.ts';
import type { Database } from '../../base/database/open.ts';
import { onFirstUse } from '../../base/on-first-use.ts';
import { textField } from '../../base/text/field.ts';
import { difference } from '../../change/history/changes.ts';
import type { Operation } from '../../change/origin.ts';
import type { KeptFor } from '../../change/outcome.ts';
import { type Change, changeOf, statementsOf, type Written, write } from '../../change/write.ts';
import { type DomainName, nameConflict } from '../name.ts';
import { type AuctionObstacle, selectObstacles } from './obstacles.ts';
import { type Auction, auctionSubject, isStarted } from './read.ts';

export const maximumPlatformLength = 50;

export const platformMessage = `is not a text of 1 to ${maximumPlatformLength} characters`;

/** The auction centre's name for the kind of auction. */
export const platformRule = onFirstUse(() => textField(platformMessage, maximumPlatformLength));

/** Defaults: the status `started`, and a new UUID. */
export interface AuctionRecord extends DomainName {
  uuid?: string | undefined;
  status?: AuctionStatus | undefined;
  registrationCode?: string | null | undefined;
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

function auctionCreation(operation: Operation, next: NewAuction, onlyIf: SQL) {
  const change = changeOf(operation, auctionSubject(next));
  return {
    ...change,
    action: 'create',
    changes: next.changes,
    onlyIf,
    statements: [
      insertAuctions(
        operation.db,
        sql`select ${JSON.stringify(next)} as row where ${change.isWritten}`,
      ),
    ],
  } satisfies Omit<Change<never>, 'outcome'>;
}

/** For a start that follows from another change. */
export function auctionStart(operation: Operation, next: NewAuction, onlyIf: SQL) {
  return statementsOf(operation.db, auctionCreation(operation, next, onlyIf));
}

export function inProgress(name: SQL | string): SQL {
  return sql`select 1 from ${auctions} where ${auctions.name} = ${name} and ${isStarted}`;
}

export function insertAuctions(db: Database, rows: SQL) {
  return insertRows(db, auctions, valuesInJson(auctions), sql`from (${rows})`);
}

type AuctionInProgress = Pick<Auction, 'uuid' | 'name' | 'status' | 'platform'> & {
  isNew: boolean;
};

/**
 * Returns the name's auction in progress, or a new one. Costs two round trips. Throws `conflict` for the first other
 * obstacle.
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
    const [kept, [first], [running]] = await db.batch([
      keptFor(actor.keyHolder ?? ''),
      db.select({ obstacle: sql<AuctionObstacle>`obstacle` }).from(sql`(${obstacles})`),
      db
        .select({ uuid, name: auctions.name, status, platform: auctions.platform })
        .from(auctions)
        .where(sql`${eq(auctions.name, name.name)} and ${isStarted}`),
    ]);
    return { kept, obstacle: first?.obstacle, running };
  };
  const judge = ({ obstacle, running }: Awaited<ReturnType<typeof look>>) => {
    if (running) {
      const outcome = { ...running, isNew: false };
      const change = changeOf(operation, auctionSubject(running));
      const onlyIf = sql`exists (${inProgress(name.name)})`;
      return { ...change, action: 'create' as const, changes: {}, onlyIf, outcome };
    }
    if (obstacle) throw nameConflict(name.name, obstacle, 'domain');
    const next = newAuction(name, platform, request.at);
    return {
      ...auctionCreation(operation, next, sql`not exists (${obstacles})`),
      outcome: { uuid: next.uuid, name: next.name, status: next.status, platform, isNew: true },
    } satisfies Change<AuctionInProgress>;
  };
  return write<Awaited<ReturnType<typeof look>>, AuctionInProgress>(db, request, { look, judge });
}
