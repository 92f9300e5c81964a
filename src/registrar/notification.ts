import { and, asc, eq, gt, isNull, type SQL, sql } from 'drizzle-orm';
import { notifications } from '../../drizzle/schema.ts';
import { insertRows } from '../database/insert-rows.ts';
import type { Database } from '../database/open.ts';
import type { Page } from '../database/paging.ts';
import { retried } from '../database/retry.ts';
import { deleteOlder } from '../database/sweep.ts';
import { RegistryError } from '../error.ts';
import { type Login, readWithLogin } from './login.ts';

/** A message to a registrar about one of its contacts. */
export type Notification = typeof notifications.$inferSelect;

type NewNotification = Omit<typeof notifications.$inferInsert, 'id' | 'readAt'>;

export function insertNotification(db: Database, notification: NewNotification, condition: SQL) {
  return insertRows(db, notifications, notification, sql`where ${condition}`);
}

/** The query for the registrar's newest unread notification about a contact. */
export function newestNotification(registrarId: number, contactCode: string): SQL {
  return sql`select id from ${notifications} as newest
    where newest.registrar_id = ${registrarId} and newest.read_at is null
      and newest.contact_code = ${contactCode}
    order by newest.id desc limit 1`;
}

/** The notification as registrars see it, and as webhooks carry it. */
export function notificationRepresentation(notification: Notification) {
  const { id, text, contactCode, createdAt, readAt, fields } = notification;
  return {
    id,
    text,
    attached_obj_type: 'Contact',
    attached_obj_id: contactCode,
    created_at: createdAt,
    read: readAt !== null,
    fields,
  };
}

/** The registrar's unread notifications, the oldest first. One round trip. */
export async function listUnreadNotifications(
  db: Database,
  login: Login,
  { limit, offset, after = 0 }: Page,
): Promise<Notification[]> {
  const [, unread] = await readWithLogin(db, login, (registrarId) => [
    db
      .select()
      .from(notifications)
      .where(
        and(
          eq(notifications.registrarId, registrarId),
          gt(notifications.id, after),
          isNull(notifications.readAt),
        ),
      )
      .orderBy(asc(notifications.id))
      .limit(limit)
      .offset(offset),
  ]);
  return unread;
}

/** The registrar's notification with this id, read or not. One round trip. Throws `not_found`. */
export async function getNotification(
  db: Database,
  login: Login,
  id: number,
): Promise<Notification> {
  const [, [notification]] = await readWithLogin(db, login, (registrarId) => [
    db.select().from(notifications).where(isRegistrars(registrarId, id)),
  ]);
  if (!notification) throw new RegistryError('not_found', 'Object does not exist');
  return notification;
}

/**
 * Marks the registrar's notification as read; to say it again changes nothing. Two round trips: the address of the
 * login is judged before anything is written. Throws `not_found`.
 */
export async function markNotificationRead(
  db: Database,
  login: Login,
  id: number,
  at: Date,
): Promise<void> {
  const { registrarId, readAt } = await getNotification(db, login, id);
  if (readAt !== null) return;
  await retried(() =>
    db
      .update(notifications)
      .set({ readAt: at.toISOString() })
      .where(and(isRegistrars(sql`${registrarId}`, id), isNull(notifications.readAt))),
  );
}

function isRegistrars(registrarId: SQL, id: number): SQL | undefined {
  return and(eq(notifications.id, id), eq(notifications.registrarId, registrarId));
}

const keptForDays = 90;

export function deleteOldNotifications(db: Database, now: Date): Promise<void> {
  return deleteOlder(db, [notifications.readAt], keptForDays, now);
}
