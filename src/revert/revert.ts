import { and, sql } from 'drizzle-orm';
import { jsonArrays } from '../database/json-rows.ts';
import type { Database } from '../database/open.ts';
import { isForeignKeyViolation } from '../database/violations.ts';
import { domainChanges } from '../domain/change.ts';
import { parseDomainName } from '../domain/name.ts';
import { RegistryError } from '../error.ts';
import { isWholeFrom } from '../history/archive.ts';
import { nothingSince } from '../history/search.ts';
import { type ChangesOfMany, changedMeanwhile, changeEach, type Origin } from '../write.ts';
import { revertContact } from './contact.ts';
import { domainRows } from './domain.ts';
import { namesInAuctionAgain, planRevert, type RevertPlan } from './plan.ts';
import type { Reversal } from './reversal.ts';
import { reversing } from './statements.ts';

/**
 * Makes the changes of a plan, all or none, under a request of its own, whose history names the request that it takes
 * back. It is one batch, which D1 stops after 30 seconds; 100,000 names take about eight. Throws what `planRevert`
 * throws if something has changed since the plan was made.
 */
export async function revert(db: Database, origin: Origin, plan: RevertPlan): Promise<void> {
  const { request, at, seen, reversals } = plan;
  const own = { ...origin, request: { ...origin.request, clientReference: request } };
  const [first] = reversals;
  if (first?.subject === 'contact') {
    return revertContact(db, own, { request, uuid: first.uuid! });
  }
  const kinds = [
    ...Map.groupBy(reversals, ({ subject, action }) => `${subject} ${action}`).values(),
  ];
  const reverted = (await Promise.all(kinds.map((some) => changesOf(db, own, some)))).flat();
  const ofSubjects = [...Map.groupBy(reversals, ({ subject }) => subject)];
  const inAuction = namesInAuctionAgain(reversals);
  const isAsPlanned = and(
    isWholeFrom(at),
    nothingSince(seen, 'domain', inAuction),
    nothingSince(seen, 'retained_domain', inAuction),
    ...ofSubjects.map(([subject, some]) =>
      nothingSince(
        seen,
        subject,
        some.map(({ key }) => key),
      ),
    ),
  );
  try {
    await changeEach(db, own, { reverted }, isAsPlanned);
  } catch (error) {
    const refusal = isForeignKeyViolation(error) ? changedMeanwhile() : error;
    // Another plan says what has changed.
    if (refusal instanceof RegistryError) await planRevert(db, origin, request);
    throw refusal;
  }
}

/** Only contacts have no name of a domain, and those are not changed here. */
function rowOf({ key, uuid, registrar, changes }: Reversal) {
  return { key, uuid, registrar, changes, punycode: parseDomainName(key).punycode };
}

/** The changes of one kind. */
async function changesOf(
  db: Database,
  { request }: Origin,
  reversals: readonly Reversal[],
): Promise<ChangesOfMany[]> {
  const { subject, action } = reversals[0]!;
  if (subject === 'domain' && action !== 'delete') {
    const rows = jsonArrays(await domainRows(db, reversals));
    return rows.map((some) => domainChanges(db, action, some, request.at));
  }
  return jsonArrays(reversals.map(rowOf)).map((rows) => {
    const from = sql`from json_each(${rows})`;
    return {
      subject,
      action,
      rows: {
        key: sql`value ->> 'key'`,
        uuid: sql`value ->> 'uuid'`,
        registrar: sql`value ->> 'registrar'`,
        changes: sql`value -> 'changes'`,
        source: from,
      },
      statements: reversing(subject, action)(db, from, request.at.toISOString()),
    };
  });
}
