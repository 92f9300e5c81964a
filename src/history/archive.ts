import { and, asc, eq, isNull, lt, type SQL, sql } from 'drizzle-orm';
import {
  archivedDeletions,
  contacts,
  history,
  historyArchives,
  historyPermits,
} from '../../drizzle/schema.ts';
import { insertRows } from '../database/insert-rows.ts';
import { isIn } from '../database/json-rows.ts';
import type { Database } from '../database/open.ts';
import { retried } from '../database/retry.ts';
import { RegistryError } from '../error.ts';
import { permitted } from './permit.ts';

/** A process that archives history, and the file that it writes. */
export interface Archive {
  file: string;
  /** A UUID. */
  run: string;
}

/**
 * The number of entries that can be archived, and their first and last instant: those from before an instant, up to the
 * first that is not, as clocks differ and an entry may hide values of those before it. The newest entry of all stays, so
 * that its id is never given again.
 */
export async function countArchivable(db: Database, before: string) {
  const [counted] = await db
    .select({
      entries: sql<number>`count(*)`,
      firstId: sql<number | null>`min(${history.id})`,
      from: sql<string | null>`min(${history.occurredAt})`,
      until: sql<string | null>`max(${history.occurredAt})`,
    })
    .from(history)
    .where(
      sql`${history.id} < coalesce(
        (select min(id) from ${history} as later where occurred_at >= ${before}),
        (select max(id) from ${history} as newest))`,
    );
  return counted!;
}

/**
 * Begins to archive, or continues an interrupted archive to the same file; returns which. Throws `taken` while an
 * archive to another file is unfinished, unless `isForced`: the entries written to that file last may then be in both.
 */
export async function startArchive(
  db: Database,
  { file, run }: Archive,
  { isForced }: { isForced: boolean },
): Promise<'begun' | 'continued'> {
  const begun = await db
    .insert(historyArchives)
    .values({ id: 1, file, run })
    .onConflictDoUpdate({
      target: historyArchives.id,
      set: { file, run },
      setWhere: isNull(historyArchives.file),
    })
    .returning();
  if (begun.length > 0) return 'begun';
  const continued = await db
    .update(historyArchives)
    .set({ file, run })
    .where(isForced ? undefined : eq(historyArchives.file, file))
    .returning();
  if (continued.length > 0) return 'continued';
  const [unfinished] = await db.select().from(historyArchives);
  throw new RegistryError(
    'taken',
    `the archive to ${unfinished?.file} is not finished: ` +
      `repeat it with --to ${unfinished?.file}, or, if that file is lost, use --force`,
  );
}

/** The first entries that can be archived, in the order of their ids. */
export async function listArchivable(
  db: Database,
  before: string,
  { limit }: { limit: number },
): Promise<(typeof history.$inferSelect)[]> {
  const newest = sql`(select max(id) from ${history} as newest)`;
  const entries = await retried(() =>
    db.select().from(history).where(lt(history.id, newest)).orderBy(asc(history.id)).limit(limit),
  );
  const end = entries.findIndex(({ occurredAt }) => occurredAt >= before);
  return end < 0 ? entries : entries.slice(0, end);
}

/** Whether the contact of an entry was gone by then: it is created next, or there is none. */
const wasGone = sql`'create' = ifnull(
  (select next.action from ${history} as next where next.subject = 'contact' and next.action <> 'update'
    and next.subject_uuid = history.subject_uuid and next.id > history.id order by next.id limit 1),
  iif(exists (select 1 from ${contacts} where uuid = history.subject_uuid), 'delete', 'create'))`;

/**
 * Whether an entry deletes a thing, unbinds a certificate, or erases a contact that was gone before: it has nothing but
 * removed values.
 */
const isDeletion = sql`actor_type not in ('move_in', 'cron') and (
  action = 'delete' or changes ->> '$.certificate.from' is not null or subject = 'contact' and action = 'update'
  and not exists (select 1 from json_each(changes) where value ->> '$.removed' is null) and ${wasGone})`;

/** What tells apart what shares a key. */
const remembered = sql`json_object('status', json(changes -> '$.status'), 'certificate', json(changes -> '$.certificate'))`;

/**
 * Deletes entries that are in the archive's file, but remembers what others than moving in have deleted or erased. Throws
 * `taken` once another process has taken over.
 */
export async function deleteArchived(
  db: Database,
  { run }: Archive,
  ids: readonly [number, ...number[]],
): Promise<void> {
  const ofRun = sql`from ${historyArchives} where run = ${run}`;
  const areMeant = isIn(history.id, JSON.stringify(ids));
  const latest = sql`(select max(occurred_at) from ${history} where ${areMeant})`;
  const note = db
    .update(historyArchives)
    .set({ archivedUntil: sql`max(ifnull(archived_until, ''), ifnull(${latest}, ''))` })
    .where(eq(historyArchives.run, run));
  const arePermitted = and(areMeant, sql`exists (select 1 from ${historyPermits})`);
  const memory = insertRows(
    db,
    archivedDeletions,
    {
      occurredAt: sql`max(occurred_at)`,
      subject: sql`subject`,
      subjectKey: sql`subject_key`,
      subjectUuid: sql`subject_uuid`,
      changes: remembered,
    },
    sql`from ${history} where ${arePermitted} and ${isDeletion}
      group by subject, subject_key, subject_uuid, ${remembered}`,
  );
  const deletion = db.delete(history).where(arePermitted);
  const [permit] = await retried(() =>
    db.batch(permitted(db, 'archive', [ids[0], ids.at(-1)!], ofRun, note, memory, deletion)),
  );
  if (permit.meta.changes > 0) return;
  throw new RegistryError('taken', 'another history archive has taken over; nothing is lost');
}

export async function endArchive(db: Database, { run }: Archive): Promise<void> {
  const ofRun = eq(historyArchives.run, run);
  await retried(() => db.update(historyArchives).set({ file: null, run: null }).where(ofRun));
}

/** The condition that no entry from an instant on was archived. */
export function isWholeFrom(at: string): SQL {
  return sql`not exists (select 1 from ${historyArchives} where archived_until >= ${at})`;
}
