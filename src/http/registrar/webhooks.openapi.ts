import * as z from 'zod';
import type { ZodOpenApiPathItemObject } from 'zod-openapi';
import type { NotificationEvent } from '../../../drizzle/schema.ts';
import examples from '../openapi/examples.json' with { type: 'json' };
import { notification } from './notifications.openapi.ts';

/** Requests to webhooks, by Standard Webhooks (standardwebhooks.com). */

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
const data = notification.omit({ read: true }).meta({ id: 'PushedNotification' });

/** A webhook's payload lacks `read`. */
const { read: _, ...pushed } = examples.getOldestNotification.updated.answer.data;

const notDelivered = {
  description:
    'Not delivered: tried again until the delivery is a week old. Those after it wait, because deliveries leave in the order of the notifications’ ids.',
};

function webhook(
  name: string,
  summary: string,
  payload: Record<'type' | 'data', z.ZodType>,
  example?: object,
): ZodOpenApiPathItemObject {
  const schema = z
    .object({ type: payload.type, timestamp, data: payload.data })
    .meta({ id: `${name}Event` });
  return {
    post: {
      operationId: `on${name}`,
      summary,
      tags: ['Registrar: webhooks'],
      security: [],
      requestParams: { header },
      requestBody: {
        required: true,
        content: { 'application/json': { schema, ...(example && { example }) } },
      },
      responses: {
        '2XX': { description: 'Delivered. Answer within ten seconds, and do the work afterwards.' },
        '4XX': notDelivered,
        '5XX': notDelivered,
      },
    },
  };
}

export const webhooks: Record<NotificationEvent | 'webhook.test', ZodOpenApiPathItemObject> = {
  'contact.updated': webhook(
    'ContactUpdated',
    'Somebody else has updated one of the registrar’s contacts',
    { type: z.literal('contact.updated'), data },
    { type: 'contact.updated', timestamp: pushed.created_at, data: pushed },
  ),
  'contact.deleted': webhook(
    'ContactDeleted',
    'Somebody else has deleted one of the registrar’s contacts',
    { type: z.literal('contact.deleted'), data },
  ),
  'contact.verified': webhook(
    'ContactVerified',
    'The identity service has found one of the registrar’s contacts to be who it says it is',
    { type: z.literal('contact.verified'), data },
  ),
  'contact.verification_pending': webhook(
    'ContactVerificationPending',
    'The identity service has found somebody other than one of the registrar’s contacts: approve or reject it',
    { type: z.literal('contact.verification_pending'), data },
  ),
  'contact.verification_required': webhook(
    'ContactVerificationRequired',
    'The registry asks the registrar to verify one of its contacts; `text` says what and by when',
    { type: z.literal('contact.verification_required'), data },
  ),
  'api_user.updated': webhook(
    'ApiUserUpdated',
    'One of the registrar’s API users has replaced its secret',
    { type: z.literal('api_user.updated'), data },
  ),
  'webhook.test': webhook('WebhookTest', 'The operator tests the registrar’s webhook', {
    type: z.literal('webhook.test'),
    data: z.object({}),
  }),
};
