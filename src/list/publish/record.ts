import { and, eq, sql } from 'drizzle-orm';
import { listPublications, replacedKeys } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { retry } from '../../base/database/retry.ts';
import type { Published } from '../format/head.ts';
import type { ListName } from '../lists.ts';
import type { Publication } from '../stored.ts';

export interface Place {
  journalPosition: number;
  /** Decides which disputes are in force: `YYYY-MM-DD`, in UTC. */
  day: string;
}

export interface PublicationRecord
  extends Place,
    Pick<Published, 'publication' | 'etag' | 'count' | 'publishedAt'> {
  sourceVersion: string;
}

/**
 * Records a publication before its first put, so that its keys are deleted if the publisher is killed. Returns the
 * recorded publication, and whether the database knows KV's: for a week, unless it was restored.
 */
export async function announcePublication(
  db: Database,
  announced: { list: ListName; publication: string; since: string },
  [recorded = '', inKv = '']: readonly (string | undefined)[],
): Promise<{ recorded: Publication | undefined; isKnown: boolean }> {
  const [[row], [announcement]] = await retry(() =>
    db.batch([
      db
        .select({ head: listPublications.head, metadata: listPublications.metadata })
        .from(listPublications)
        .where(isPublication(announced.list, recorded)),
      db
        .select({ list: replacedKeys.list })
        .from(replacedKeys)
        .where(eq(replacedKeys.publication, inKv)),
      db
        .insert(replacedKeys)
        .values({ ...announced, keys: null })
        .onConflictDoNothing(),
    ]),
  );
  return {
    recorded: row && { head: JSON.parse(row.head), metadata: JSON.parse(row.metadata) },
    isKnown: announcement !== undefined,
  };
}

export function isPublication(list: ListName, publication: string) {
  return and(eq(listPublications.list, list), eq(listPublications.publication, publication));
}

/**
 * Records a publication and the keys in KV that it replaces, unless the list has been published again since `base`.
 * Returns whether this publication is the recorded one. Throws what `expectInTime` throws.
 */
export async function recordPublication(
  db: Database,
  { head, metadata }: Publication,
  { sourceVersion, journalPosition, day }: Place & { sourceVersion: string },
  {
    base,
    replaced,
    expectInTime,
  }: { base: string | undefined; replaced: readonly string[]; expectInTime: () => void },
): Promise<boolean> {
  const { list, publication, etag } = head;
  const row = {
    publication,
    etag,
    sourceVersion,
    journalPosition,
    day,
    head: JSON.stringify(head),
    metadata: JSON.stringify(metadata),
  };
  const isRecorded = sql`exists (select 1 from ${listPublications}
    where list = ${list} and publication = ${publication})`;
  // A fault may be reported although the batch was done. Repeating it gives the same result.
  const [, , current] = await retry(() => {
    expectInTime();
    return db.batch([
      db
        .insert(listPublications)
        .values({ list, ...row })
        .onConflictDoUpdate({
          target: listPublications.list,
          set: row,
          setWhere: eq(listPublications.publication, base ?? ''),
        }),
      db
        .update(replacedKeys)
        .set({ keys: JSON.stringify(replaced), since: metadata.publishedAt })
        .where(and(eq(replacedKeys.publication, publication), isRecorded)),
      db
        .select({ publication: listPublications.publication })
        .from(listPublications)
        .where(eq(listPublications.list, list)),
    ]);
  });
  return current[0]?.publication === publication;
}

export async function recordUnchanged(
  db: Database,
  list: ListName,
  { publication }: Pick<PublicationRecord, 'publication'>,
  { sourceVersion, journalPosition, day }: Place & { sourceVersion: string },
): Promise<void> {
  await retry(() =>
    db
      .update(listPublications)
      .set({ sourceVersion, journalPosition, day })
      .where(isPublication(list, publication)),
  );
}

/** For a week, unless the database was restored. */
export async function isKnownPublication(db: Database, publication: string): Promise<boolean> {
  const isNamed = eq(replacedKeys.publication, publication);
  return (await retry(() => db.$count(replacedKeys, isNamed))) > 0;
}
