import { asc, max, sql } from 'drizzle-orm';
import { type HistorySubject, history } from '../../../drizzle/schema.ts';
import { sha256Hex } from '../../base/bytes/digest.ts';
import type { Database } from '../../base/database/open.ts';
import { retry } from '../../base/database/retry.ts';
import { RegistryError } from '../../base/error.ts';
import type { HistoryEntry } from './search.ts';

export const followedSubjects = [
  'contact',
  'auction',
  'retained_domain',
  'dispute',
  'domain',
] as const satisfies HistorySubject[];

/** A place: the id of the last entry examined and, because a restored database may give the id again, a digest. */
export const placePattern = /^(0-|[1-9]\d{0,14}-[0-9a-f]{16})$/;

/** Before the first entry. */
export const beginning = '0-';

const columns = {
  id: history.id,
  occurredAt: history.occurredAt,
  subject: history.subject,
  subjectKey: history.subjectKey,
  subjectUuid: history.subjectUuid,
  registrar: history.registrar,
  action: history.action,
  actor: history.actor,
  requestId: history.requestId,
};

export type FollowedChange = Pick<HistoryEntry, keyof typeof columns> & { fields: string[] };

const maximumExamined = 1_000;

/**
 * Returns at most `limit` changes in the order in which they took effect, from at most 1,000 entries, and the place of
 * the last entry examined. Costs one round trip. Throws `gone` if that place's entry or a later one is missing, as
 * after a restore.
 */
export async function listChangesAfter(
  db: Database,
  after: string,
  limit: number,
): Promise<{ changes: FollowedChange[]; after: string; more: boolean }> {
  const afterId = Number.parseInt(after, 10);
  const subjects = sql.raw(followedSubjects.map((subject) => `'${subject}'`).join(', '));
  const lastExamined = afterId + maximumExamined;
  // The plus keeps SQLite from using the index by subject, which would read all entries.
  const lastOfPage = sql`select id from ${history}
    where id > ${afterId} and id <= ${lastExamined} and +subject in (${subjects})
    order by id limit 1 offset ${limit - 1}`;
  const fields = sql<string | null>`iif(subject in (${subjects}),
    (select json_group_array(key) from json_each(${history.changes})), null)`;
  // Reads the place's own entry and other subjects too, because a missing entry must be noticed.
  const [entries, [newest]] = await retry(() =>
    db.batch([
      db
        .select({ ...columns, fields: fields.as('fields') })
        .from(history)
        .where(sql`id between ${afterId} and ifnull((${lastOfPage}), ${lastExamined})`)
        .orderBy(asc(history.id)),
      db.select({ id: max(history.id) }).from(history),
    ]),
  );
  const newestId = newest?.id ?? 0;
  const first = Math.max(afterId, 1);
  // Ids have gaps only where an earlier build archived entries. It left the newest one.
  const isWhole = entries.every(({ id }, index) => id === first + index);
  const examined = afterId === 0 ? entries : entries.slice(1);
  // A gap may be longer than a page.
  if (!isWhole || (examined.length === 0 && newestId !== afterId)) throw gone();
  if (examined !== entries && (await placeOf(entries[0]!)) !== after) throw gone();
  const last = entries.at(-1);
  return {
    changes: examined.flatMap(({ fields, ...entry }) =>
      fields === null ? [] : [{ ...entry, fields: JSON.parse(fields) }],
    ),
    after: last ? await placeOf(last) : after,
    more: last !== undefined && last.id < newestId,
  };
}

/** Returns the place after which later changes follow. Costs one round trip. */
export async function findNewestPlace(db: Database): Promise<string> {
  const isNewest = sql`id = (select max(id) from ${history} as newest)`;
  const [entry] = await retry(() => db.select(columns).from(history).where(isNewest));
  return entry ? placeOf(entry) : beginning;
}

/** Uses only columns that never change. An erasure removes values only. */
async function placeOf(entry: Pick<HistoryEntry, keyof typeof columns>): Promise<string> {
  const { id, occurredAt, subject, subjectKey, action, requestId } = entry;
  const digest = await sha256Hex(
    JSON.stringify([occurredAt, subject, subjectKey, action, requestId]),
  );
  return `${id}-${digest.slice(0, 16)}`;
}

function gone(): RegistryError {
  const message =
    'is no longer on record; take the new one that limit=0 gives, then fetch everything again';
  return new RegistryError('gone', message, 'after');
}
