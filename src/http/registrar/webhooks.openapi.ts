import * as z from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { type NotificationEvent, notificationEvents } from '../../../drizzle/schema.ts';
import examples from '../openapi/examples.json' with { type: 'json' };
import { notification } from './notifications.openapi.ts';

/** The requests that webhooks receive: Standard Webhooks (standardwebhooks.com). */

const header = z.object({
  'webhook-id': z.string().meta({
    description: 'The same each time that a delivery is repeated.',
    param: { id: 'WebhookId' },
  }),
  'webhook-timestamp': z.string().meta({
    description: 'When it was sent: seconds since 1970.',
    pattern: '^\\d+$',
    param: { id: 'WebhookTimestamp' },
  }),
  'webhook-signature': z.string().meta({
    description: '`v1,` and the HMAC-SHA256 of id, timestamp and body in base64.',
    pattern: '^v1,',
    param: { id: 'WebhookSignature' },
  }),
});

const timestamp = z.iso.datetime({ precision: 3 }).meta({ description: 'When it happened.' });

/** The notification of the examples, which is unread, as a webhook gets it. */
function pushedExample(): object {
  const { read: _, ...pushed } = examples.getOldestNotification.updated.answer.data;
  return { type: 'contact.updated', timestamp: pushed.created_at, data: pushed };
}

function webhook(operationId: string, summary: string, payload: z.ZodType, example?: object) {
  const operation: ZodOpenApiOperationObject = {
    operationId,
    summary,
    tags: ['Registrar: webhooks'],
    security: [],
    requestParams: { header },
    requestBody: {
      required: true,
      content: { 'application/json': { schema: payload, ...(example && { example }) } },
    },
    responses: {
      '2XX': { description: 'Delivered. Answer within ten seconds, and do the work afterwards.' },
      '4XX': { description: 'Not delivered: tried again, for two and a half days in all.' },
      '5XX': { description: 'Not delivered: tried again, for two and a half days in all.' },
    },
  };
  return { post: operation };
}

const summaries: Record<NotificationEvent, string> = {
  'contact.updated': 'Somebody else has updated one of the registrar’s contacts',
  'contact.deleted': 'Somebody else has deleted one of the registrar’s contacts',
};

const nameOf = (type: string) =>
  type
    .split('.')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');

const data = notification.omit({ read: true }).meta({ id: 'PushedNotification' });

const ofNotifications = notificationEvents.map((type) => {
  const id = `${nameOf(type)}Event`;
  const payload = z.object({ type: z.literal(type), timestamp, data }).meta({ id });
  const example = type === 'contact.updated' ? pushedExample() : undefined;
  return [type, webhook(`on${nameOf(type)}`, summaries[type], payload, example)];
});

export const webhooks: ZodOpenApiPathsObject = {
  ...Object.fromEntries(ofNotifications),
  'webhook.test': webhook(
    'onWebhookTest',
    'The operator tests the registrar’s webhook',
    z
      .object({ type: z.literal('webhook.test'), timestamp, data: z.object({}) })
      .meta({ id: 'WebhookTestEvent' }),
  ),
};
