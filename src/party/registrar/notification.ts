import { and, asc, count, eq, gt, isNull, type SQL, sql } from 'drizzle-orm';
import { notifications, webhookDeliveries, webhooks } from '../../../drizzle/schema.ts';
import { insertRows, valuesInJson } from '../../base/database/insert-rows.ts';
import { jsonArrays, rowsIn } from '../../base/database/json-rows.ts';
import type { Database } from '../../base/database/open.ts';
import type { Page } from '../../base/database/paging.ts';
import { retry } from '../../base/database/retry.ts';
import { deleteOlder } from '../../base/database/sweep.ts';
import { RegistryError } from '../../base/error.ts';
import { appendStatements, type Change } from '../../change/write.ts';
import type { ChangesOfMany } from '../../change/write-many.ts';
import { type Login, readWithLogin } from './login.ts';

export type Notification = typeof notifications.$inferSelect;

export type NewNotification = Omit<
  typeof notifications.$inferInsert & Pick<Notification, 'cause'>,
  'id' | 'readAt'
>;

/** Of a new delivery. */
export const notAttempted = {
  ...{ attemptedAt: null, outcome: null, status: null },
  ...{ deliveredAt: null, failedAt: null, droppedAt: null },
};

/** Adds a notification to the change, and its delivery if the registrar has a webhook. */
export function addNotification<Outcome>(
  db: Database,
  change: Change<Outcome>,
  notification: NewNotification,
): Change<Outcome> {
  return appendStatements(change, insertion(db, notification, change.isWritten));
}

/** Adds notifications to changes of one batch, at the end: one may be about the row of any of them. */
export function withNotifications(
  db: Database,
  changes: readonly ChangesOfMany[],
  all: readonly NewNotification[],
): ChangesOfMany[] {
  const last = changes.at(-1)!;
  const statements = [...last.statements, ...insertNotifications(db, all)];
  return changes.with(-1, { ...last, statements });
}

export function insertNotifications(db: Database, all: readonly NewNotification[]) {
  const values = valuesInJson(notifications);
  return jsonArrays(all).flatMap((array) => insertion(db, values, sql`true`, array));
}

/** Inserts one notification or those of a JSON array, and deliveries for registrars with a webhook. */
function insertion(
  db: Database,
  values: { [Column in keyof NewNotification]: SQL | NewNotification[Column] },
  condition: SQL,
  array?: string,
) {
  const createdAt = sql`${notifications.createdAt}`;
  const delivery = {
    id: sql`'msg_' || lower(hex(randomblob(16)))`,
    registrarId: sql`${notifications.registrarId}`,
    notificationId: sql`${notifications.id}`,
    createdAt,
    waitsSince: createdAt,
    ...notAttempted,
  };
  const [from, count, ofRegistrar] =
    array === undefined
      ? [sql``, 1, eq(webhooks.registrarId, values.registrarId)]
      : [sql`from (${rowsIn(array)})`, sql`json_array_length(${array})`, sql`true`];
  // Ids only grow, so the last statement inserted the newest.
  const inserted = sql`from ${webhooks} join ${notifications} on ${webhooks.registrarId} = ${notifications.registrarId}
    where ${notifications.id} > (select max(id) from ${notifications}) - ${count} and ${ofRegistrar} and ${condition}`;
  return [
    insertRows(db, notifications, { ...values, readAt: null }, sql`${from} where ${condition}`),
    insertRows(db, webhookDeliveries, delivery, inserted),
  ];
}

/** Returns a `webhook-id`. The database creates those of notifications. */
export function newDeliveryId(): string {
  return `msg_${crypto.randomUUID().replaceAll('-', '')}`;
}

export function notificationRepresentation(notification: Notification) {
  const { id, event, cause, text, subjectKey, createdAt, readAt, fields } = notification;
  return {
    id,
    type: event,
    cause,
    text,
    attached_obj_type: event === 'api_user.updated' ? 'ApiUser' : 'Contact',
    attached_obj_id: subjectKey,
    created_at: createdAt,
    read: readAt !== null,
    fields,
  };
}

/** More are counted as this many. */
export const maximumTotal = 10_000;

function countUnread(db: Database, registrarId: SQL) {
  const unread = db
    .select({ id: notifications.id })
    .from(notifications)
    .where(isUnread(registrarId))
    .limit(maximumTotal)
    .as('unread');
  return db.select({ total: count() }).from(unread);
}

/** With the number of unread ones, counted up to `maximumTotal`. Undefined if there is none. One round trip. */
export async function findOldestUnread(db: Database, login: Login) {
  const [, [oldest], [unread]] = await readWithLogin(db, login, (registrarId) => [
    selectUnread(db, registrarId).limit(1),
    countUnread(db, registrarId),
  ]);
  return oldest && { ...notificationRepresentation(oldest), ...unread! };
}

function isUnread(registrarId: SQL, after = 0): SQL | undefined {
  return and(
    eq(notifications.registrarId, registrarId),
    gt(notifications.id, after),
    isNull(notifications.readAt),
  );
}

function selectUnread(db: Database, registrarId: SQL, after?: number) {
  return db
    .select()
    .from(notifications)
    .where(isUnread(registrarId, after))
    .orderBy(asc(notifications.id));
}

/** Oldest first. One round trip. */
export async function listUnreadNotifications(
  db: Database,
  login: Login,
  { limit, offset, after }: Page,
): Promise<Notification[]> {
  const [, unread] = await readWithLogin(db, login, (registrarId) => [
    selectUnread(db, registrarId, after).limit(limit).offset(offset),
  ]);
  return unread;
}

/** Read or unread, with the number of unread ones. One round trip. Throws `not_found`. */
export async function getNotification(db: Database, login: Login, id: number) {
  const [{ registrarId }, [notification], [unread]] = await readWithLogin(
    db,
    login,
    (registrarId) => [
      db.select().from(notifications).where(isOwn(registrarId, id)),
      countUnread(db, registrarId),
    ],
  );
  if (!notification) throw new RegistryError('not_found', 'Object does not exist');
  return { registrarId, ...notificationRepresentation(notification), ...unread! };
}

/**
 * Marks the registrar's notification as read; repeating it changes nothing. Two round trips, because the login's
 * address is checked before the write. Throws `not_found`.
 */
export async function markNotificationRead(
  db: Database,
  login: Login,
  id: number,
  at: Date,
): Promise<void> {
  const { registrarId, read } = await getNotification(db, login, id);
  if (read) return;
  await retry(() =>
    db
      .update(notifications)
      .set({ readAt: at.toISOString() })
      .where(and(isOwn(sql`${registrarId}`, id), isNull(notifications.readAt))),
  );
}

function isOwn(registrarId: SQL, id: number): SQL | undefined {
  return and(eq(notifications.id, id), eq(notifications.registrarId, registrarId));
}

const keptForDays = 90;

export function deleteOldNotifications(db: Database, now: Date): Promise<void> {
  return deleteOlder(db, [notifications.readAt], keptForDays, now);
}
