import * as z from 'zod';
import type { ZodOpenApiPathItemObject } from 'zod-openapi';
import type { NotificationEvent } from '../../../../drizzle/schema.ts';
import { instantType, named, parameter } from '../openapi/describe.ts';
import examples from '../openapi/examples.json' with { type: 'json' };
import { notification } from './account.openapi.ts';

/** Requests to webhooks, by Standard Webhooks (standardwebhooks.com). */

const header = z.object({
  'webhook-id': parameter('WebhookId', 'The same each time that a delivery is repeated.'),
  'webhook-timestamp': z.string().meta({
    description: 'When it was sent: seconds since 1970.',
    pattern: '^\\d+$',
    param: { id: 'WebhookTimestamp' },
  }),
  'webhook-signature': z.string().meta({
    description:
      'A list separated by blanks: for each secret that signs, `v1,` and the HMAC-SHA256 of id, timestamp and body in base64. There are up to five, the newest secret first.',
    pattern: '^v1,\\S{44}( v1,\\S{44}){0,4}$',
    param: { id: 'WebhookSignature' },
  }),
});

const timestamp = instantType().describe('When it happened.');
const data = notification.omit({ read: true, type: true }).meta({ id: 'PushedNotification' });

/** The data of a webhook's payload lack these. */
const {
  read: _,
  type: __,
  total: ___,
  ...pushed
} = examples.getOldestNotification.updated.answer.data;

const notDelivered = {
  description:
    'Not delivered: tried again until the delivery is a week old, not before `Retry-After` (seconds or a date, at most 24 hours). Those after it wait, because deliveries leave in the order of the notifications’ ids.',
};

const gone = {
  description: 'Nothing is sent to this URL until the webhook is set again.',
};

const summaries: Record<NotificationEvent | 'webhook.test', string> = {
  'contact.updated': 'Somebody else has updated one of the registrar’s contacts',
  'contact.deleted': 'Somebody else has deleted one of the registrar’s contacts',
  'contact.verified':
    'The identity service has found one of the registrar’s contacts to be who it says it is',
  'contact.verification_pending':
    'The identity service has found somebody other than one of the registrar’s contacts: approve or reject it',
  'contact.verification_required':
    'The registry asks the registrar to verify one of its contacts; `text` says what and by when',
  'api_user.updated': 'One of the registrar’s API users has replaced its secret',
  'webhook.test': 'The registrar or the operator tests the webhook',
};

function webhook(event: string, summary: string): ZodOpenApiPathItemObject {
  const name = event.replace(/(?:^|[._])([a-z])/g, (_, first: string) => first.toUpperCase());
  const type = z.literal(event);
  const carried = event === 'webhook.test' ? z.object({}) : data;
  const schema = named(`${name}Event`, { type, timestamp, data: carried });
  const example = { type: event, timestamp: pushed.created_at, data: pushed };
  return {
    post: {
      operationId: `on${name}`,
      summary,
      tags: ['Registrar: webhooks'],
      security: [],
      requestParams: { header },
      requestBody: {
        required: true,
        content: {
          'application/json': { schema, ...(event === 'contact.updated' && { example }) },
        },
      },
      responses: {
        '2XX': { description: 'Delivered. Answer within ten seconds, and do the work afterwards.' },
        '410': gone,
        '4XX': notDelivered,
        '5XX': notDelivered,
      },
    },
  };
}

export const webhookRequests = Object.fromEntries(
  Object.entries(summaries).map(([event, summary]) => [event, webhook(event, summary)]),
);
