import { and, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { changesIdentity, type HistorySubject, history } from '../../drizzle/schema.ts';
import { deleteAuctions, insertAuctions } from '../auction/start.ts';
import { jsonArrays, rowsIn } from '../database/json-rows.ts';
import type { Database } from '../database/open.ts';
import { deleteDomains, domainChanges } from '../domain/change.ts';
import { parseDomainName } from '../domain/name.ts';
import { RegistryError } from '../error.ts';
import type { Action } from '../history/changes.ts';
import { nothingSince } from '../history/search.ts';
import {
  deleteRetainedDomains,
  insertRetainedDomains,
  namesIn,
  updateLastDays,
} from '../retained-domain/change-names.ts';
import { deleteDisputes, insertDisputes, updateClosures } from '../retained-domain/dispute.ts';
import { type ChangesOfMany, changeEach, changesOfRows, type Origin } from '../write.ts';
import { contactDeletions, revertContact } from './contact.ts';
import { domainRows } from './domain.ts';
import { namesInAuctionAgain, planRevert, type RevertPlan } from './plan-revert.ts';
import { type Reversal, valuesAfter } from './reversal.ts';

/**
 * Makes the changes of a plan, all or none, under a request of its own, whose history names the request that it takes
 * back. It is one batch, which D1 stops after 30 seconds; 100,000 names take about eight. Throws what `planRevert`
 * throws if something has changed since the plan was made.
 */
export async function revert(db: Database, origin: Origin, plan: RevertPlan): Promise<void> {
  const { request, seen, subjects, reversals } = plan;
  const own = { ...origin, request: { ...origin.request, clientReference: request } };
  const [first] = reversals;
  if (first?.subject === 'contact' && first.action !== 'delete') {
    return revertContact(db, own, { request, uuid: first.uuid! });
  }
  // Contacts go after the domains that refer to them.
  const isOfContacts = ([some]: Reversal[]) => Number(some!.subject === 'contact');
  const kinds = [
    ...Map.groupBy(reversals, ({ subject, action }) => `${subject} ${action}`).values(),
  ].sort((one, other) => isOfContacts(one) - isOfContacts(other));
  const reverted = (await Promise.all(kinds.map((some) => changesOf(db, own, some)))).flat();
  const ofSubjects = [...Map.groupBy(reversals, ({ subject }) => subject)];
  const inAuction = namesInAuctionAgain(reversals);
  const isAsPlanned = and(
    nothingSince(seen, 'domain', inAuction),
    nothingSince(seen, 'retained_domain', inAuction),
    // Domains go back to their contacts only while these belong to the same persons.
    subjects.includes('domain')
      ? sql`not exists (select 1 from ${history} not indexed where id > ${seen} and ${changesIdentity})`
      : undefined,
    ...ofSubjects.map(([subject, some]) => {
      const keys = some.map(({ key }) => key);
      return nothingSince(seen, subject, keys);
    }),
  );
  try {
    await changeEach(db, own, { reverted }, isAsPlanned);
  } catch (error) {
    // Another plan says what has changed.
    if (error instanceof RegistryError) await planRevert(db, origin, request);
    throw error;
  }
}

type Statements = BatchItem<'sqlite'> | BatchItem<'sqlite'>[];

/** What makes the changes of a kind, from the query of their rows. */
const statements: Partial<
  Record<HistorySubject, Partial<Record<Action, (db: Database, rows: SQL) => Statements>>>
> = {
  retained_domain: {
    create: (db, rows) => insertRetainedDomains(db, namesIn(rows)),
    update: updateLastDays,
    delete: deleteRetainedDomains,
  },
  dispute: { create: insertDisputes, update: updateClosures, delete: deleteDisputes },
  auction: { create: insertAuctions, delete: deleteAuctions },
  domain: { delete: deleteDomains },
};

/**
 * The row as the change makes it or, if it deletes it, as it is, with the changes. What the history does not have is not
 * brought back: a password, or the registration code of an auction. Only contacts have no name of a domain, and those are
 * not changed here.
 */
function rowOf({ action, key, uuid, registrar, changes, entry }: Reversal, at: string) {
  const values = valuesAfter(action === 'delete' ? entry.changes : changes);
  const times = { createdAt: at, updatedAt: at };
  return { ...times, ...values, ...parseDomainName(key), key, uuid, registrar, changes };
}

/** The changes of one kind. */
async function changesOf(
  db: Database,
  origin: Origin,
  reversals: readonly Reversal[],
): Promise<ChangesOfMany[]> {
  const { request } = origin;
  const { subject, action } = reversals[0]!;
  if (subject === 'contact') return contactDeletions(db, origin, reversals);
  if (subject === 'domain' && action !== 'delete') {
    const rows = jsonArrays(await domainRows(db, reversals));
    return rows.map((some) => domainChanges(db, action, some, request.at));
  }
  const statementOf = statements[subject]![action]!;
  const at = request.at.toISOString();
  const arrays = jsonArrays(reversals.map((reversal) => rowOf(reversal, at)));
  return arrays
    .map(rowsIn)
    .map((rows) => changesOfRows(subject, action, rows, [statementOf(db, rows)].flat()));
}
