import { and, asc, desc, eq, gt, inArray, isNull, lte, type SQL, sql } from 'drizzle-orm';
import { contacts, disclosures } from '../../../../drizzle/schema.ts';
import { isIn } from '../../../base/database/json-rows.ts';
import type { Database } from '../../../base/database/open.ts';
import type { RowsAfter } from '../../../base/database/paging.ts';
import { RegistryError } from '../../../base/error.ts';
import { timeAfter } from '../../../base/time/clock.ts';
import type { Contact } from '../../contact.ts';
import { contactColumns } from '../../fields.ts';
import { type Identity, identifies, isSameIdentity } from '../../same-person.ts';

/** A request for a contact's data, and the operator's answer. */
export type Disclosure = typeof disclosures.$inferSelect;

const hourMilliseconds = 60 * 60 * 1000;

/** By their names for registrars. */
const columns = new Map(
  contactColumns
    .filter(([, { rule, isPersonal, group }]) => rule && (isPersonal || group === 'identity'))
    .map(([column, { registrar }]) => [registrar!, column]),
);
export const discloseableFields = [...columns.keys()];

export function disclosedValues(contact: Contact, fields: readonly string[]) {
  return Object.fromEntries(fields.map((field) => [field, contact[columns.get(field)!]]));
}

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

/** Lists open requests, the first to be answered first. */
export function listOpenDisclosures(db: Database, limit: number): Promise<Disclosure[]> {
  const { outcome, receivedAt } = disclosures;
  return db.select().from(disclosures).where(isNull(outcome)).orderBy(asc(receivedAt)).limit(limit);
}

export function countOpenDisclosures(db: Database): Promise<number> {
  return db.$count(disclosures, isNull(disclosures.outcome));
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

export type GrantObstacle =
  | { kind: 'gone' }
  | { kind: 'former_person' }
  | { kind: 'without_values'; fields: string[] };

/** What prevents a grant of the fields, of which those that nobody requested are not judged. */
export function findGrantObstacle(
  { disclosure, contact }: Awaited<ReturnType<typeof getDisclosure>>,
  wanted: readonly string[] = disclosure.requestedFields,
): GrantObstacle | undefined {
  if (!contact) return { kind: 'gone' };
  if (!hasIdentity(disclosure, contact)) return { kind: 'former_person' };
  const values = disclosedValues(contact, disclosure.requestedFields);
  const fields = wanted.filter((field) => field in values && (values[field] ?? '') === '');
  return fields.length > 0 ? { kind: 'without_values', fields } : undefined;
}

/** With a UUID, only those about this contact. */
interface DisclosureCriteria {
  onlyOpen?: boolean;
  contactUuid?: string | undefined;
}

export function listDisclosures(
  db: Database,
  { onlyOpen = false, contactUuid }: DisclosureCriteria,
  { after, limit }: RowsAfter<Disclosure>,
): Promise<Disclosure[]> {
  return db
    .select()
    .from(disclosures)
    .where(
      and(
        gt(disclosures.id, after?.id ?? 0),
        onlyOpen ? isNull(disclosures.outcome) : undefined,
        contactUuid === undefined ? undefined : eq(disclosures.contactUuid, contactUuid),
      ),
    )
    .orderBy(asc(disclosures.id))
    .limit(limit);
}

/** Those about these contacts, whoever had them then. The newest first. */
export function listDisclosuresOf(
  db: Database,
  contactUuids: readonly string[],
  limit: number,
): Promise<Disclosure[]> {
  return listNewest(db, inArray(disclosures.contactUuid, [...contactUuids]), limit);
}

/** Those about the person with this identity, whichever contacts had it. The newest first. */
export function listDisclosuresOfIdentity(
  db: Database,
  { identCountryCode, identKey, identType }: Identity,
  limit: number,
): Promise<Disclosure[]> {
  const isOf = sql`(+${disclosures.identCountryCode}, +${disclosures.identType}) = (${identCountryCode}, ${identType})`;
  return listNewest(db, and(eq(disclosures.identKey, identKey), isOf), limit);
}

const listNewest = (db: Database, condition: SQL | undefined, limit: number) =>
  db.select().from(disclosures).where(condition).orderBy(desc(disclosures.id)).limit(limit);

/** Of these requests, those whose contact still has the person who was asked for, as far as an identity says it. */
export async function findUnchanged(
  db: Database,
  requests: readonly Disclosure[],
): Promise<Set<number>> {
  const { id, contactUuid } = disclosures;
  const ids = JSON.stringify(requests.map((request) => request.id));
  const rows = await db
    .select({ id })
    .from(disclosures)
    .innerJoin(contacts, eq(contacts.uuid, contactUuid))
    .where(and(isIn(id, ids), isSameIdentity(contacts, disclosures), identifies(contacts)));
  return new Set(rows.map((row) => row.id));
}

/** Whether this identity was asked for. */
export const hasIdentity = (
  request: Disclosure,
  { identCountryCode, identKey, identType }: Identity,
): boolean =>
  request.identCountryCode === identCountryCode &&
  request.identKey === identKey &&
  request.identType === identType;
