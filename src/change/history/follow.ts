import { asc, max, sql } from 'drizzle-orm';
import { type HistorySubject, history } from '../../../drizzle/schema.ts';
import { sha256Hex } from '../../base/bytes/digest.ts';
import type { Database } from '../../base/database/open.ts';
import { retried } from '../../base/database/retry.ts';
import { RegistryError } from '../../base/error.ts';
import type { HistoryEntry } from './search.ts';

export const followedSubjects = [
  'contact',
  'auction',
  'retained_domain',
  'dispute',
  'domain',
] as const satisfies HistorySubject[];

/** The place of the last entry examined: its id, which a restored database may give again, so also its digest. */
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
 * The next changes in the order in which they took effect, at most `limit` of them from at most 1,000 entries; the
 * place of the last entry that was examined; and whether there are `more`. One round trip. Throws `gone` if the entry
 * of the place, or one that followed it, is no longer there, as after a restore.
 */
export async function listChangesAfter(
  db: Database,
  after: string,
  limit: number,
): Promise<{ changes: FollowedChange[]; after: string; more: boolean }> {
  const afterId = Number.parseInt(after, 10);
  const subjects = sql.raw(followedSubjects.map((each) => `'${each}'`).join(', '));
  const lastExamined = afterId + maximumExamined;
  // The plus keeps SQLite from the index by subject, which would lead it through all entries.
  const lastOfPage = sql`select id from ${history}
    where id > ${afterId} and id <= ${lastExamined} and +subject in (${subjects})
    order by id limit 1 offset ${limit - 1}`;
  const fields = sql<string | null>`iif(subject in (${subjects}),
    (select json_group_array(key) from json_each(${history.changes})), null)`;
  // From the entry of the place on, also those that are not followed: a missing one must be noticed.
  const [entries, [newest]] = await retried(() =>
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
  // Ids have no gaps but where an earlier build archived entries, and it left the newest one.
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

/** The place from which what happens from now on is followed. One round trip. */
export async function findNewestPlace(db: Database): Promise<string> {
  const isNewest = sql`id = (select max(id) from ${history} as newest)`;
  const [entry] = await retried(() => db.select(columns).from(history).where(isNewest));
  return entry ? placeOf(entry) : beginning;
}

/** Of columns that are never changed: an erasure removes values, and nothing else. */
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
