import { type SQL, sql } from 'drizzle-orm';
import { history } from '../../drizzle/schema.ts';
import { jsonArrays } from '../database/json-rows.ts';
import type { Database } from '../database/open.ts';
import { isForeignKeyViolation } from '../database/violations.ts';
import { domainChanges } from '../domain/change.ts';
import { parseDomainName } from '../domain/name.ts';
import { RegistryError } from '../error.ts';
import { type ChangesOfMany, changeEach, type Origin } from '../write.ts';
import { revertContact } from './contact.ts';
import { domainRows } from './domain.ts';
import { planRevert, type RevertPlan } from './plan.ts';
import type { Reversal } from './reversal.ts';
import { reversing } from './statements.ts';

/**
 * Makes the changes of a plan, all or none, under a request of its own, whose history names the request that it takes
 * back. It is one batch, which D1 stops after 30 seconds; 100,000 names take about eight. Throws what `planRevert`
 * throws if something has changed since the plan was made.
 */
export async function revert(db: Database, origin: Origin, plan: RevertPlan): Promise<void> {
  const { request, reversals } = plan;
  const own = { ...origin, request: { ...origin.request, clientReference: request } };
  const [first] = reversals;
  if (first?.subject === 'contact') {
    return revertContact(db, own, { request, uuid: first.uuid! });
  }
  const isAsPlanned = nothingSince(plan, own.request.requestId);
  const kinds = [
    ...Map.groupBy(reversals, ({ subject, action }) => `${subject} ${action}`).values(),
  ];
  const changes = await Promise.all(kinds.map((some) => changesOf(db, own, some, isAsPlanned)));
  const { reverted } = await changeEach(db, own, { reverted: changes.flat() }).catch((error) => {
    throw isForeignKeyViolation(error) ? changedJustNow() : error;
  });
  if (reverted === reversals.length) return;
  await planRevert(db, origin, request);
  throw changedJustNow();
}

function changedJustNow(): RegistryError {
  return new RegistryError('changed_meanwhile', 'somebody else changed this just now; try again');
}

/** Only contacts have no name of a domain, and those are not changed here. */
function rowOf(reversal: Reversal) {
  return { ...reversal, punycode: parseDomainName(reversal.key).punycode };
}

/** The changes of one kind. */
async function changesOf(
  db: Database,
  { request }: Origin,
  reversals: readonly Reversal[],
  isAsPlanned: SQL,
): Promise<ChangesOfMany[]> {
  const { subject, action } = reversals[0]!;
  if (subject === 'domain' && action !== 'delete') {
    const rows = jsonArrays(await domainRows(db, reversals));
    return rows.map((some) => domainChanges(db, action, some, request.at, isAsPlanned));
  }
  return jsonArrays(reversals.map(rowOf)).map((rows) => {
    const from = sql`from json_each(${rows}) where ${isAsPlanned}`;
    return {
      subject,
      action,
      rows: sql`select value ->> 'key' as key, value ->> 'uuid' as uuid, value -> 'changes' as changes ${from}`,
      statements: reversing(subject, action)(db, from, request.at.toISOString()),
    };
  });
}

/** The condition that nobody else has written about a name of the request since the plan was made. */
function nothingSince({ request, seen, subjects }: RevertPlan, requestId: string): SQL {
  // SQLite keeps the order of a cross join: the few entries of others come first.
  return sql`not exists (
    select 1 from ${history} as later cross join ${history} as entry
    where later.id > ${seen} and later.request_id is not ${requestId}
      and entry.subject in (select value from json_each(${JSON.stringify(subjects)}))
      and entry.subject_key = later.subject_key and entry.request_id = ${request})`;
}
