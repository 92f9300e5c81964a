import * as z from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { requiredBody } from '../openapi/call.ts';
import { boundedPageQuery } from '../paging.openapi.ts';
import { envelope, registrarCalls } from './interface.openapi.ts';
import { readBody } from './notifications.ts';

const call = registrarCalls('Registrar: notifications');

export const notification = z
  .object({
    id: z.int().positive(),
    text: z.string(),
    attached_obj_type: z.enum(['Contact', 'ApiUser']),
    attached_obj_id: z
      .string()
      .meta({ description: 'The contact’s code, or the API user’s name.' }),
    created_at: z.iso.datetime({ precision: 3 }),
    read: z.boolean(),
    fields: z
      .array(z.string())
      .meta({ description: 'The names of the fields that changed; none for a deletion.' }),
  })
  .meta({ id: 'Notification' });

const id = z
  .int()
  .positive()
  .meta({ description: 'The notification’s id.', param: { id: 'NotificationId', example: 1 } });

export const notificationPaths: ZodOpenApiPathsObject = {
  '/repp/v1/registrar/notifications': {
    get: call({
      operationId: 'getOldestNotification',
      summary: 'Read the oldest unread notification',
      success: {
        description: 'The notification; empty `data` if none is unread.',
        schema: envelope('OldestNotificationAnswer', z.union([notification, z.object({})])),
      },
    }),
  },
  '/repp/v1/registrar/notifications/all_notifications': {
    get: call({
      operationId: 'listNotifications',
      summary: 'List the unread notifications',
      query: boundedPageQuery(),
      success: {
        description: 'A page of them, the oldest first.',
        schema: envelope('NotificationListAnswer', z.array(notification)),
      },
    }),
  },
  '/repp/v1/registrar/notifications/{id}': {
    get: call({
      operationId: 'getNotification',
      summary: 'Read a notification',
      path: z.object({ id }),
      success: {
        description: 'The notification, read or not.',
        schema: envelope('NotificationAnswer', notification),
      },
      refusals: ['not_found'],
    }),
    put: call({
      operationId: 'readNotification',
      summary: 'Mark a notification as read',
      description: 'It may be said again, with the same answer.',
      path: z.object({ id }),
      body: requiredBody(readBody().check(z.meta({ id: 'NotificationUpdate' }))),
      success: {
        description: 'It is marked as read.',
        schema: envelope(
          'ReadNotificationAnswer',
          z.object({ notification_id: z.int().positive(), read: z.literal(true) }),
        ),
      },
      refusals: ['not_found'],
    }),
  },
};
