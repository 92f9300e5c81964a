import { and, asc, eq, gt, isNull, lte } from 'drizzle-orm';
import { contacts, disclosures } from '../../../../drizzle/schema.ts';
import { everyRow } from '../../../base/database/every-row.ts';
import type { Database } from '../../../base/database/open.ts';
import type { RowsAfter } from '../../../base/database/paging.ts';
import { RegistryError } from '../../../base/error.ts';
import { timeAfter } from '../../../base/time/clock.ts';

/** A request for a contact's data, and the operator's answer. */
export type Disclosure = typeof disclosures.$inferSelect;

const hourMilliseconds = 60 * 60 * 1000;

export function answerBy({ receivedAt }: Pick<Disclosure, 'receivedAt'>, hours: number): string {
  return timeAfter(new Date(receivedAt), hours * hourMilliseconds);
}

/** Lists open requests that are overdue or due within a day, oldest first. */
export async function listDueDisclosures(db: Database, hours: number, now: Date) {
  const { id, outcome, receivedAt } = disclosures;
  // Requests received before this time are due within a day.
  const latestReceipt = timeAfter(now, (24 - hours) * hourMilliseconds);
  const due = await db
    .select({ id, receivedAt })
    .from(disclosures)
    .where(and(isNull(outcome), lte(receivedAt, latestReceipt)))
    .orderBy(asc(receivedAt));
  return due.map((request) => ({ id: request.id, answerBy: answerBy(request, hours) }));
}

/** Includes the contact, or null if it no longer exists. Throws `not_found`. */
export async function getDisclosure(db: Database, id: number) {
  const [row] = await db
    .select({ disclosure: disclosures, contact: contacts })
    .from(disclosures)
    .leftJoin(contacts, eq(contacts.uuid, disclosures.contactUuid))
    .where(eq(disclosures.id, id));
  if (row) return row;
  throw new RegistryError('not_found', `there is no disclosure ${id}`, 'id');
}

export function listDisclosures(
  db: Database,
  { onlyOpen }: { onlyOpen: boolean },
  { after, limit }: RowsAfter<Disclosure>,
): Promise<Disclosure[]> {
  return db
    .select()
    .from(disclosures)
    .where(
      and(gt(disclosures.id, after?.id ?? 0), onlyOpen ? isNull(disclosures.outcome) : undefined),
    )
    .orderBy(asc(disclosures.id))
    .limit(limit);
}

/**
 * Counts requests by month of receipt, organisation and outcome, and in total. Safe to publish: the result names only
 * organisations.
 */
export async function reportDisclosures(db: Database) {
  const every: Disclosure[] = await Array.fromAsync(
    everyRow<Disclosure>((page) => listDisclosures(db, { onlyOpen: false }, page)),
  );
  const keyOf = ({ receivedAt, organization, outcome }: Disclosure) =>
    JSON.stringify([receivedAt.slice(0, 7), organization, outcome ?? 'open']);
  const groups = [...Map.groupBy(every, keyOf)].sort(([first], [second]) =>
    first < second ? -1 : 1,
  );
  const requests = groups.map(([key, group]) => {
    const [month, organization, outcome] = JSON.parse(key) as [string, string, string];
    return { month, organization, outcome, count: group.length, ...timesOf(group) };
  });
  return { requests, all: { count: every.length, ...timesOf(every) } };
}

/** Hours from receipt to answer, rounded up so that no answer looks earlier; null without answers. */
function timesOf(disclosures: readonly Disclosure[]) {
  const times = disclosures
    .flatMap(({ receivedAt, answeredAt }) =>
      answeredAt === null ? [] : [Date.parse(answeredAt) - Date.parse(receivedAt)],
    )
    .sort((first, second) => first - second);
  if (times.length === 0) return { median_hours: null, longest_hours: null };
  const [lower, upper] = [times[(times.length - 1) >> 1]!, times[times.length >> 1]!];
  const hours = (milliseconds: number) => Math.ceil(milliseconds / 36_000) / 100;
  return { median_hours: hours((lower + upper) / 2), longest_hours: hours(times.at(-1)!) };
}
