import * as z from 'zod';
import {
  type NotificationEvent,
  notificationCauses,
  notificationEvents,
} from '../../../../drizzle/schema.ts';
import { maximumTotal } from '../../../party/registrar/notification.ts';
import { maximumUrlLength } from '../../../party/webhook/url.ts';
import { json } from '../openapi/call.ts';
import { describe, instantType, named } from '../openapi/describe.ts';
import { boundedPageQuery } from '../openapi/paging.openapi.ts';
import { deliveriesQuery, readBody, secretBody, webhookBody } from './account.ts';
import { envelope, registrarCalls } from './interface.openapi.ts';

const user = z.object({
  username: z.string(),
  secret_changed_at: instantType().describe('Since when the user has had its secret.'),
  previous_secret_valid_until: instantType()
    .nullable()
    .meta({
      description:
        'Until when the secret that was replaced works: 24 hours after the first use of the new ' +
        'one. Null before that use, and if there is no such secret any more.',
    }),
});

const account = named('RegistrarAccount', {
  code: z.string().describe('The registrar’s code, with which those of its contacts begin.'),
  name: z.string(),
  phone: z
    .string()
    .nullable()
    .describe('Where the registry’s staff send people who call about a name; null if unknown.'),
  email: z.string().nullable().describe('Likewise.'),
  website: z
    .string()
    .nullable()
    .describe('Likewise; an http or https URL, unless moved in from a former registry.'),
  allowed_ips: z
    .array(z.string())
    .describe('The addresses and CIDR ranges that may call; empty if any may.'),
  webhook_url: z.url().nullable().meta({
    description: 'Where notifications are pushed to; null if they are not.',
  }),
  api_user: user.nullable().describe('Null for a system that acts for the registrar.'),
});

const newSecret = z.object({
  username: z.string(),
  secret: z.string().meta({
    description: 'The new secret. Only its digest is kept, so it is shown in no other answer.',
    pattern: '^[0-9a-f]{64}$',
  }),
  previous_secret_valid_until: z
    .null()
    .describe('Nobody has used the new secret yet, so the old one works on.'),
});

const webhook = named('Webhook', {
  url: z.url(),
  secret: z.string().optional().meta({
    description: 'The secret that signs. It is shown only when it is new.',
    pattern: '^whsec_[A-Za-z0-9+/]{43}=$',
  }),
  note: z
    .string()
    .optional()
    .describe('Why another address has brought no new secret; absent otherwise.'),
});

const ownWebhook = named('OwnWebhook', {
  url: z.url(),
  failing_since: instantType()
    .nullable()
    .describe(
      'When the first attempt since the last success failed; null if none has. Tests that fail do not count.',
    ),
  previous_secret_valid_until: instantType()
    .nullable()
    .describe('Until when replaced secrets also sign; null if none does.'),
});

describe(webhookBody().shape.webhook.shape, {
  url: {
    maxLength: maximumUrlLength,
    description:
      'An https address on a host of the public internet, given by its name: no IP address, and no name such as ' +
      '`localhost` or below `.internal`, `.test` or `.example`. It has no user name or password, and not the port 0. ' +
      'A part after `#` is dropped.',
  },
});

describe(deliveriesQuery().shape, { limit: { description: 'How many deliveries at most.' } });

const delivery = named('Delivery', {
  id: z.string().describe('The `webhook-id`.'),
  type: z.string().describe('The `type` of the body, such as `contact.updated`.'),
  created_at: instantType(),
  attempts: z.int().nonnegative(),
  last_attempt_at: instantType().nullable(),
  status: z
    .int()
    .nullable()
    .describe('The HTTP status of the last attempt; null if nobody answered, or none was made.'),
  problem: z
    .string()
    .nullable()
    .describe(
      'Why nobody answered, or why no attempt follows, in a sentence; null if `status` says all.',
    ),
  next_attempt_at: instantType()
    .nullable()
    .describe('Null if it was delivered or given up, or the receiver is gone (410).'),
});

const testDelivery = z.object({
  id: z
    .string()
    .meta({ description: 'The `webhook-id` of the test.', pattern: '^msg_[0-9a-f]{32}$' }),
});

/** What `fields` holds for each `type` and `cause`. */
const fieldsOf: Record<NotificationEvent, string> = {
  'contact.updated':
    'the fields that changed; with the cause `transfer`, `registrar_id` and `auth_info` if the contact was handed over to you, and none if a copy has replaced it in a domain: the contact is still there, and `text` names the copy; all that have a value if its deletion was taken back',
  'contact.deleted':
    'none; with the cause `transfer`, the contact still lives, but belongs to another registrar, or a copy there, which `text` names, has replaced it',
  'contact.verified': '`identity_verification`, and what changed with it',
  'contact.verification_pending': '`identity_request`',
  'contact.verification_required':
    '`verification_demand`; none if the contact brought an open demand along when it was handed over',
  'api_user.updated': '`secret`',
};

const fieldsDescription = `The names of the fields that changed, without values. ${Object.entries(
  fieldsOf,
)
  .map(([type, fields]) => `\`${type}\`: ${fields}`)
  .join('. ')}.`;

export const notification = named('Notification', {
  id: z.int().positive(),
  type: z
    .enum(notificationEvents)
    .describe('What happened: the `type` with which a webhook gets it.'),
  cause: z
    .enum(notificationCauses)
    .nullable()
    .describe(
      '`transfer` if the contact was handed over to another registrar, or a copy has replaced it because a domain was; null otherwise.',
    ),
  text: z.string(),
  attached_obj_type: z.enum(['Contact', 'ApiUser']),
  attached_obj_id: z.string().describe('The contact’s code, or the API user’s name.'),
  created_at: instantType(),
  read: z.boolean(),
  fields: z.array(z.string()).describe(fieldsDescription),
});

const countedNotification = notification
  .extend({
    total: z
      .int()
      .min(0)
      .max(maximumTotal)
      .describe('How many are unread, counted up to 10,000 (`msgQ count` of EPP).'),
  })
  .meta({ id: 'CountedNotification' });

const id = z
  .int()
  .positive()
  .meta({ description: 'The notification’s id.', param: { id: 'NotificationId', example: 1 } });

const marked = z.object({ notification_id: z.int().positive(), read: z.literal(true) });

const ofWebhook = {
  update_prohibited: 'a system calls, which cannot change the registrar’s webhook',
  not_found: 'the registrar has no webhook',
};

const withCause = (cause: string) => ({
  ...ofWebhook,
  update_prohibited: `${cause}; or ${ofWebhook.update_prohibited}`,
});

export const accountPaths = {
  ...registrarCalls('Registrar: account')({
    'GET /repp/v1/registrar': {
      operationId: 'getAccount',
      summary: 'Who am I',
      description: 'The API user that calls, and its registrar.',
      success: 'The registrar as the registry’s operator has set it up.',
      answer: envelope('AccountAnswer', z.object({ registrar: account })),
    },
    'POST /repp/v1/registrar/api_user/secret': {
      operationId: 'replaceSecret',
      summary: 'Get a new secret',
      description:
        'Replaces the secret of the API user that calls. The old one works until 24 hours after ' +
        'the new one was first used. If the answer was lost, call again with the old secret: ' +
        'another new one takes the place of the first. Once the new one has been used, the old ' +
        'one gets no other; while the old one works, the new one gets none either. An ' +
        '`Idempotency-Key` has no effect, because the answer is not kept. Fields of a body are ' +
        'ignored.',
      body: json(secretBody),
      success: 'The new secret.',
      answer: envelope('NewSecretAnswer', z.object({ api_user: newSecret })),
      refusals: ['update_prohibited'],
      causes: {
        update_prohibited:
          'the secret is new, and the one before it still works; it has been replaced by one that is in use; or a system calls, which has none',
      },
    },
  }),
  ...registrarCalls('Registrar: webhooks')({
    'GET /repp/v1/registrar/webhook': {
      operationId: 'getWebhook',
      summary: 'Read the webhook',
      success: 'The webhook without its secret; null if there is none.',
      answer: envelope('OwnWebhookAnswer', z.object({ webhook: ownWebhook.nullable() })),
    },
    'GET /repp/v1/registrar/webhook/deliveries': {
      operationId: 'listDeliveries',
      summary: 'List the deliveries',
      description:
        'What the receiver answered, or why nobody did. Deliveries are kept for 30 days; of tests, the last ten.',
      query: deliveriesQuery(),
      success: 'The registrar’s own deliveries, the newest first.',
      answer: envelope('DeliveriesAnswer', z.object({ deliveries: z.array(delivery) })),
    },
    'PUT /repp/v1/registrar/webhook': {
      operationId: 'setWebhook',
      summary: 'Set the webhook',
      description:
        'Pushes the registrar’s notifications to this address from now on. Another address brings ' +
        'a new secret. The same address again changes nothing and shows no secret, but after a 410 ' +
        'it makes the deliveries go on. The address has at most 2,000 characters, counted as it is ' +
        'sent: with percent-encoding, and the host in punycode. At most four replaced secrets sign ' +
        'beside the newest, each for 24 hours; meanwhile, another address keeps the newest secret, ' +
        'shows none, and says so in `note`.',
      body: json(webhookBody().check(z.meta({ id: 'WebhookUpdate' }))),
      success: 'The webhook, with its secret if that is new.',
      answer: envelope('WebhookAnswer', z.object({ webhook })),
      refusals: ['update_prohibited'],
      causes: ofWebhook,
    },
    'POST /repp/v1/registrar/webhook/secret': {
      operationId: 'replaceWebhookSecret',
      summary: 'Get a new secret of the webhook',
      description:
        'For 24 hours, deliveries carry a signature with the old secret beside the one with the ' +
        'new. At most four replaced secrets sign beside the new one; another is refused until the ' +
        'first of them ends. If the answer was lost, call again. To end a secret that has leaked ' +
        'at once, delete the webhook and set it again. Fields of a body are ignored.',
      body: json(secretBody),
      success: 'The webhook with its new secret.',
      answer: envelope(
        'WebhookSecretAnswer',
        z.object({ webhook: webhook.omit({ note: true }).required() }),
      ),
      refusals: ['update_prohibited', 'not_found'],
      causes: withCause('four replaced secrets sign already'),
    },
    'POST /repp/v1/registrar/webhook/test': {
      operationId: 'testWebhook',
      summary: 'Send a test to the webhook',
      description:
        'Makes one delivery of the type `webhook.test` the next one of the registrar. It is sent ' +
        'once, within seconds, although deliveries pause after a failure; but ten seconds after the ' +
        'test before it at the earliest, and not before the time that the receiver has asked for ' +
        '(`Retry-After`). If it arrives, deliveries that wait after a failure follow. If it fails, ' +
        'nothing changes for them. While a test waits, another call returns the same one. Fields ' +
        'of a body are ignored.',
      body: json(secretBody),
      success: 'The test is queued.',
      answer: envelope('WebhookTestAnswer', z.object({ delivery: testDelivery })),
      refusals: ['update_prohibited', 'not_found'],
      causes: withCause('the receiver has answered 410'),
    },
    'DELETE /repp/v1/registrar/webhook': {
      operationId: 'deleteWebhook',
      summary: 'End the webhook',
      description:
        'Gives up what waits to be delivered; `GET` still has each notification. If the answer was ' +
        'lost, call again.',
      success: 'There is no webhook.',
      answer: envelope('NoWebhookAnswer', z.object({})),
      refusals: ['update_prohibited'],
      causes: ofWebhook,
    },
  }),
  ...registrarCalls('Registrar: notifications')({
    'GET /repp/v1/registrar/notifications': {
      operationId: 'getOldestNotification',
      summary: 'Read the oldest unread notification',
      success: 'The notification; empty `data` if none is unread.',
      answer: envelope('OldestNotificationAnswer', z.union([countedNotification, z.object({})])),
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
      answer: envelope('NotificationAnswer', countedNotification),
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
  }),
};
