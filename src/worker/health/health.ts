import { sql } from 'drizzle-orm';
import type { Database } from '../../base/database/open.ts';
import { limitTime, retry } from '../../base/database/retry.ts';
import { isAboutMigration, migrationHint } from '../../base/database/violations.ts';
import { type Sentence, sentence } from '../../base/text/sentence.ts';
import { newestMigration } from '../../base/version.ts';
import type { Published } from '../../list/format/head.ts';
import { readPublished } from '../../list/kv.ts';
import { type ListName, listNames, perList } from '../../list/lists.ts';
import { findBehindSince, isBehind, readSource, type Source } from '../../list/publish/source.ts';

export interface Health {
  /** Empty if the registry is not failing. */
  reasons: Sentence[];
  isDatabaseReachable: boolean;
  /** Whether a list has been behind for longer than a publication takes. */
  areListsLate: boolean;
  lists: Record<ListName, ListHealth>;
}

interface ListHealth {
  /** Undefined if the list was never published, or if that is not known. */
  published: Pick<Published, 'count' | 'etag' | 'publishedAt'> | undefined;
  /** Undefined if the database or KV does not answer. */
  isBehind: boolean | undefined;
}

/** A change is published within a minute; a list that is behind for longer than this needs an operator. */
const maximumBehindMilliseconds = 120_000;

/** Monitors do not wait for long. */
const patienceMilliseconds = 5_000;

/** Never throws: a missing answer is part of the state. */
export async function readHealth(db: Database, kv: KVNamespace, now: Date): Promise<Health> {
  const [source, published, isMigrated] = await Promise.all([
    answered(retry(() => readSource(db, now))),
    answered(readPublished(kv)),
    answered(hasNewestMigration(db)),
  ]);
  const since = source && published && (await answered(readDelays(db, source, published)));
  const isDatabaseReachable =
    isMigrated === false ||
    (source !== undefined && (published === undefined || since !== undefined));
  const late = [...(since ?? [])].filter(
    ([, instant]) => instant && now.getTime() - Date.parse(instant) >= maximumBehindMilliseconds,
  );
  return {
    reasons: [
      ...(isMigrated === false ? [[migrationHint]] : []),
      ...(isDatabaseReachable ? [] : [['The database is unreachable.']]),
      ...(published ? [] : [['The store of the public lists is unreachable.']]),
      ...late.map(
        ([list, since]) =>
          sentence`The list ${list} has been behind its source since ${{ instant: since! }}.`,
      ),
    ],
    isDatabaseReachable,
    areListsLate: late.length > 0,
    lists: perList((list) => ({
      published: published?.get(list) ?? source?.records[list],
      isBehind: since?.has(list),
    })),
  };
}

async function hasNewestMigration(db: Database): Promise<boolean> {
  try {
    return (
      (await db.get(sql`select 1 from d1_migrations where name = ${newestMigration}`)) !== undefined
    );
  } catch (error) {
    if (isAboutMigration(error)) return false;
    throw error;
  }
}

/** Each list that is behind, with the instant since when, if that is known. */
async function readDelays(
  db: Database,
  source: Source,
  published: Map<string, Published | undefined>,
): Promise<Map<ListName, string | undefined>> {
  const delays = new Map<ListName, string | undefined>();
  for (const list of listNames) {
    if (!isBehind({ list, inKv: published.get(list) }, source)) continue;
    delays.set(list, await retry(() => findBehindSince(db, list, source)));
  }
  return delays;
}

/** Undefined if the work fails or takes too long. */
function answered<Result>(work: Promise<Result>): Promise<Result | undefined> {
  return limitTime(patienceMilliseconds, work).catch(() => undefined);
}
