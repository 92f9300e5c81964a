import * as z from 'zod/mini';
import { RegistryError } from '../../../base/error.ts';
import { onFirstUse } from '../../../base/on-first-use.ts';
import {
  getNotification,
  listUnreadNotifications,
  markNotificationRead,
  notificationRepresentation,
} from '../../../party/registrar/notification.ts';
import { database } from '../request/context.ts';
import { newApp } from '../request/hono.ts';
import { parseBody } from '../request/input.ts';
import { linkAfter, requestedPage, takesBoundedPage } from '../request/paging.ts';
import { done } from './answer.ts';

/** Mounted below the registrar's account, whose middleware comes first. */
export const notifications = newApp();

notifications.get('/', async (c) => {
  const first = { limit: 1, offset: 0 };
  const [oldest] = await listUnreadNotifications(database(c), c.var.login, first);
  return c.json(done(oldest ? notificationRepresentation(oldest) : {}));
});

notifications.get('/all_notifications', takesBoundedPage, async (c) => {
  const page = requestedPage(c.req.valid('query'));
  const unread = await listUnreadNotifications(database(c), c.var.login, page);
  linkAfter(c, page, unread);
  return c.json(done(unread.map(notificationRepresentation)));
});

notifications.get('/:id', async (c) => {
  const id = parseId(c.req.param('id'));
  const notification = await getNotification(database(c), c.var.login, id);
  return c.json(done(notificationRepresentation(notification)));
});

export const readBody = onFirstUse(() =>
  z.object({
    notification: z.object(
      { read: z.literal(true, 'Read must be true') },
      'Notification is invalid',
    ),
  }),
);

notifications.put('/:id', async (c) => {
  await parseBody(c, readBody());
  const id = parseId(c.req.param('id'));
  await markNotificationRead(database(c), c.var.login, id, c.var.now);
  return c.json(done({ notification_id: id, read: true }));
});

function parseId(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new RegistryError('not_found', 'Object does not exist');
}
