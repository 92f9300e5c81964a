import { and, asc, eq, gt, isNull, lte } from 'drizzle-orm';
import { contacts, disclosures } from '../../../../drizzle/schema.ts';
import type { Database } from '../../../base/database/open.ts';
import type { RowsAfter } from '../../../base/database/paging.ts';
import { RegistryError } from '../../../base/error.ts';
import { timeAfter } from '../../../base/time/clock.ts';

export type Disclosure = typeof disclosures.$inferSelect;

const hourMilliseconds = 60 * 60 * 1000;

export function answerBy({ receivedAt }: Pick<Disclosure, 'receivedAt'>, hours: number): string {
  return timeAfter(new Date(receivedAt), hours * hourMilliseconds);
}

/** Those to be answered within a day, and overdue ones, the oldest first. */
export async function listDueDisclosures(db: Database, hours: number, now: Date) {
  const { id, outcome, receivedAt } = disclosures;
  const due = await db
    .select({ id, receivedAt })
    .from(disclosures)
    .where(and(isNull(outcome), lte(receivedAt, timeAfter(now, (24 - hours) * hourMilliseconds))))
    .orderBy(asc(receivedAt));
  return due.map((one) => ({ id: one.id, answerBy: answerBy(one, hours) }));
}

/** With its contact, unless that is gone. Throws `not_found`. */
export async function getDisclosure(db: Database, id: number) {
  const [found] = await db
    .select({ disclosure: disclosures, contact: contacts })
    .from(disclosures)
    .leftJoin(contacts, eq(contacts.uuid, disclosures.contactUuid))
    .where(eq(disclosures.id, id));
  if (found) return found;
  throw new RegistryError('not_found', `there is no disclosure ${id}`, 'id');
}

/** In the order in which the requests were opened. */
export function listDisclosures(
  db: Database,
  { isOpen }: { isOpen: boolean },
  { after, limit }: RowsAfter<Disclosure>,
): Promise<Disclosure[]> {
  return db
    .select()
    .from(disclosures)
    .where(
      and(gt(disclosures.id, after?.id ?? 0), isOpen ? isNull(disclosures.outcome) : undefined),
    )
    .orderBy(asc(disclosures.id))
    .limit(limit);
}
