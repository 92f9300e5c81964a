import * as z from 'zod';
import { instantType, named } from '../openapi/describe.ts';
import { boundedPageQuery } from '../openapi/paging.openapi.ts';
import { envelope, registrarCalls } from './interface.openapi.ts';
import { readBody } from './notifications.ts';

export const notification = named('Notification', {
  id: z.int().positive(),
  text: z.string(),
  attached_obj_type: z.enum(['Contact', 'ApiUser']),
  attached_obj_id: z.string().describe('The contact’s code, or the API user’s name.'),
  created_at: instantType(),
  read: z.boolean(),
  fields: z
    .array(z.string())
    .describe('The names of the fields that changed; none for a deletion.'),
});

const id = z
  .int()
  .positive()
  .meta({ description: 'The notification’s id.', param: { id: 'NotificationId', example: 1 } });

const marked = z.object({ notification_id: z.int().positive(), read: z.literal(true) });

export const notificationPaths = registrarCalls('Registrar: notifications')({
  'GET /repp/v1/registrar/notifications': {
    operationId: 'getOldestNotification',
    summary: 'Read the oldest unread notification',
    success: 'The notification; empty `data` if none is unread.',
    answer: envelope('OldestNotificationAnswer', z.union([notification, z.object({})])),
  },
  'GET /repp/v1/registrar/notifications/all_notifications': {
    operationId: 'listNotifications',
    summary: 'List the unread notifications',
    query: boundedPageQuery(),
    success: 'A page of them, the oldest first.',
    answer: envelope('NotificationListAnswer', z.array(notification)),
  },
  'GET /repp/v1/registrar/notifications/{id}': {
    operationId: 'getNotification',
    summary: 'Read a notification',
    path: { id },
    success: 'The notification, read or not.',
    answer: envelope('NotificationAnswer', notification),
    refusals: ['not_found'],
  },
  'PUT /repp/v1/registrar/notifications/{id}': {
    operationId: 'readNotification',
    summary: 'Mark a notification as read',
    description: 'It may be said again, with the same answer.',
    path: { id },
    body: readBody().check(z.meta({ id: 'NotificationUpdate' })),
    success: 'It is marked as read.',
    answer: envelope('ReadNotificationAnswer', marked),
    refusals: ['not_found'],
  },
});
