import { and, sql } from 'drizzle-orm';
import { changesIdentity, history } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { RegistryError } from '../../base/error.ts';
import { nothingSince } from '../../change/history/search.ts';
import { changeEach, type Origin } from '../../change/write.ts';
import { canReturn } from './contact.ts';
import { changesOf } from './kinds.ts';
import { namesInAuctionAgain, planRevert, type RevertPlan } from './plan-revert.ts';
import type { Reversal } from './reversal.ts';

/**
 * Makes the changes of a plan, all or none, under a request of its own, whose history names the request that it takes
 * back. It is one batch, which D1 stops after 30 seconds; 100,000 names take about eight. Throws what `planRevert`
 * throws if something has changed since the plan was made.
 */
export async function revert(db: Database, origin: Origin, plan: RevertPlan): Promise<void> {
  const { request, seen, subjects, reversals } = plan;
  const own = { ...origin, request: { ...origin.request, clientReference: request } };
  // Contacts go after the domains that refer to them.
  const isOfContacts = ([some]: Reversal[]) => Number(some!.subject === 'contact');
  const kinds = [
    ...Map.groupBy(reversals, ({ subject, action }) => `${subject} ${action}`).values(),
  ].sort((one, other) => isOfContacts(one) - isOfContacts(other));
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
    ...reversals
      .filter(({ subject, action }) => subject === 'contact' && action === 'create')
      .map((reversal) => canReturn(reversal, seen)),
  );
  try {
    const reverted = (await Promise.all(kinds.map((some) => changesOf(db, own, some)))).flat();
    await changeEach(db, own, { reverted }, isAsPlanned);
  } catch (error) {
    // Another plan says what has changed.
    if (error instanceof RegistryError) await planRevert(db, origin, request);
    throw error;
  }
}
