import { and, asc, eq, gt, lt, lte, max, type SQL, sql } from 'drizzle-orm';
import { contacts } from '../../drizzle/schema.ts';
import type { Database } from '../database/open.ts';
import { continueAfter, placeOf, type SweepLimits } from '../database/sweep.ts';
import { RegistryError } from '../error.ts';
import { type Actor, type Change, type WriteRequest, write } from '../write.ts';
import { type Contact, prohibitingStatuses, prohibits, subjectOf } from './contact.ts';
import { contactDeletion } from './delete.ts';
import { notifyingRegistrar } from './write.ts';

const scheduledRun: Actor = { type: 'cron', name: 'Scheduled run' };

/** D1 allows 1,000 queries in a scheduled run; a deletion takes three, and a window two. */
const limits = { window: 2_000, windows: 20, deletions: 200 };

/**
 * Deletes the contacts that no domain has referred to since before an instant, unless a status prohibits it. Continues
 * where the run before stopped, and begins again after the last contact. Returns how many it deleted.
 */
export async function deleteOrphans(
  db: Database,
  before: string,
  request: WriteRequest,
  { window, windows, deletions }: SweepLimits & { deletions: number } = limits,
): Promise<number> {
  let after = await placeOf(db, 'orphan_contacts');
  let deleted = 0;
  let left = deletions;
  for (let n = 0; n < windows && left > 0; n++) {
    const last = await lastOfWindow(db, after, window);
    if (last === null) {
      after = 0;
      break;
    }
    const orphans = await findOrphans(db, before, { after, last, limit: left });
    for (const orphan of orphans) {
      if (await deleteOrphan(db, orphan, before, request)) deleted += 1;
    }
    left -= orphans.length;
    // With as many as were asked for, the window may hold more.
    after = left === 0 ? orphans.at(-1)!.id : last;
  }
  await continueAfter(db, 'orphan_contacts', after);
  return deleted;
}

async function lastOfWindow(db: Database, after: number, limit: number): Promise<number | null> {
  const window = db
    .select({ id: contacts.id })
    .from(contacts)
    .where(gt(contacts.id, after))
    .orderBy(asc(contacts.id))
    .limit(limit)
    .as('entries');
  const [row] = await db.select({ last: max(window.id) }).from(window);
  return row?.last ?? null;
}

/** When the last domain stopped referring to the contact. */
const unlinkedSince = sql`ifnull(${contacts.unlinkedAt}, ${contacts.createdAt})`;
const prohibiting = sql.raw(
  prohibitingStatuses('Delete')
    .map((status) => `'${status}'`)
    .join(', '),
);
const isDeletable: SQL = sql`not exists (
  select 1 from json_each(${contacts.statuses}) where value in (${prohibiting})
)`;

function findOrphans(
  db: Database,
  before: string,
  { after, last, limit }: { after: number; last: number; limit: number },
): Promise<Contact[]> {
  return db
    .select()
    .from(contacts)
    .where(
      and(
        gt(contacts.id, after),
        lte(contacts.id, last),
        eq(contacts.domainCount, 0),
        lt(unlinkedSince, before),
        isDeletable,
      ),
    )
    .orderBy(asc(contacts.id))
    .limit(limit);
}

/** Deletes a contact if it is still one to delete, and returns whether it was. */
async function deleteOrphan(
  db: Database,
  orphan: Contact,
  before: string,
  request: WriteRequest,
): Promise<boolean> {
  const kept: Change<boolean> = {
    by: scheduledRun,
    subject: subjectOf(orphan),
    action: 'delete',
    changes: {},
    outcome: false,
  };
  try {
    const { outcome } = await write(db, request, {
      look: async () => ({
        rows: await db.select().from(contacts).where(eq(contacts.id, orphan.id)),
      }),
      judge({ rows: [contact] }) {
        if (!contact || !isOrphan(contact, before) || prohibits(contact, 'Delete')) return kept;
        const deletion = contactDeletion(db, contact, { actor: scheduledRun, request });
        return { ...notifyingRegistrar(db, contact, deletion, request.at), outcome: true };
      },
    });
    return outcome;
  } catch (error) {
    // A domain has referred to it since it was looked at.
    if (error instanceof RegistryError && error.reason === 'linked') return false;
    throw error;
  }
}

function isOrphan(
  { domainCount, unlinkedAt, createdAt }: Pick<Contact, 'domainCount' | 'unlinkedAt' | 'createdAt'>,
  before: string,
): boolean {
  return domainCount === 0 && (unlinkedAt ?? createdAt) < before;
}
