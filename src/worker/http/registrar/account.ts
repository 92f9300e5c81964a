import * as z from 'zod/mini';
import { isLocalEnvironment } from '../../../base/env.ts';
import { RegistryError } from '../../../base/error.ts';
import { onFirstUse } from '../../../base/on-first-use.ts';
import type { RegistrarCall } from '../../../party/registrar/login.ts';
import {
  findOldestUnread,
  getNotification,
  listUnreadNotifications,
  markNotificationRead,
  notificationRepresentation,
} from '../../../party/registrar/notification.ts';
import { getOwnAccount, replaceOwnSecret } from '../../../party/registrar/own-account.ts';
import {
  changeOwnWebhook,
  findOwnWebhook,
  getOwnWebhook,
  noWebhook,
} from '../../../party/registrar/own-webhook.ts';
import { replacedAt } from '../../../party/registrar/webhook.ts';
import { deliveryRepresentation, listOwnDeliveries } from '../../../party/webhook/list.ts';
import { addTest, queueTest } from '../../../party/webhook/test-delivery.ts';
import { maximumUrlLength, parseWebhookUrl } from '../../../party/webhook/url.ts';
import { clientReference } from '../request/client-headers.ts';
import {
  type AppContext,
  afterResponse,
  database,
  newApp,
  queueAfterResponse,
} from '../request/context.ts';
import { body, query } from '../request/input.ts';
import { linkAfter, requestedPage, takesBoundedPage, wholeNumber } from '../request/paging.ts';
import { success } from './answer.ts';
import { registrarMiddleware } from './login.ts';

export const registrarAccount = newApp();

registrarAccount.use(...registrarMiddleware);

registrarAccount.get('/', async (c) => {
  const account = await getOwnAccount(database(c), c.var.login);
  const user = {
    username: account.username,
    secret_changed_at: account.secretChangedAt,
    previous_secret_valid_until: account.previousSecretValidUntil,
  };
  const registrar = {
    code: account.registrarCode,
    name: account.name,
    phone: account.phone,
    email: account.email,
    website: account.website,
    allowed_ips: account.allowedIps,
    webhook_url: account.webhookUrl,
    api_user: account.username === null ? null : user,
  };
  return c.json(success({ registrar }));
});

export const secretBody = z.object({});

const takesNoFields = body(() => secretBody, { isOptional: true });

registrarAccount.post('/api_user/secret', takesNoFields, async (c) => {
  const { db, login, request } = callWithoutKey(c);
  const { caller, username, secret } = await replaceOwnSecret(db, login, request);
  queueAfterResponse(c, caller.registrarId);
  return c.json(success({ api_user: { username, secret, previous_secret_valid_until: null } }));
});

/** A call without an idempotency key, because its outcome would be kept, with the secret. */
function callWithoutKey(c: AppContext): RegistrarCall {
  const request = {
    at: c.var.now,
    requestId: c.var.requestId,
    clientReference: clientReference(c)?.value,
  };
  return { db: database(c), login: c.var.login, request };
}

registrarAccount.get('/webhook', async (c) => {
  const found = await findOwnWebhook(database(c), c.var.login);
  const webhook = found && {
    url: found.url,
    failing_since: found.failingSince,
    previous_secret_valid_until: replacedAt(found, c.var.now).at(-1)?.until ?? null,
  };
  return c.json(success({ webhook: webhook ?? null }));
});

const maximumDeliveries = 100;

export const deliveriesQuery = onFirstUse(() =>
  z.object({
    limit: z._default(wholeNumber('Limit', 1, maximumDeliveries), maximumDeliveries),
  }),
);

const takesLimit = query(deliveriesQuery, {
  limit: `a whole number from 1 to ${maximumDeliveries}`,
});

registrarAccount.get('/webhook/deliveries', takesLimit, async (c) => {
  const { limit } = c.req.valid('query');
  const listed = await listOwnDeliveries(database(c), c.var.login, limit);
  const deliveries = listed.map((each) => deliveryRepresentation(each, c.var.now));
  return c.json(success({ deliveries }));
});

export const webhookBody = onFirstUse(() =>
  z.object({
    webhook: z.object(
      { url: z.string('Url is invalid').check(z.meta({ maxLength: maximumUrlLength })) },
      'Webhook is invalid',
    ),
  }),
);

registrarAccount.put('/webhook', body(webhookBody), async (c) => {
  const { webhook } = c.req.valid('json');
  const isLocal = isLocalEnvironment(c.env);
  const url = parseWebhookUrl(webhook.url, { isLocal, field: 'webhook.url' });
  const { caller, ...changed } = await changeOwnWebhook(callWithoutKey(c), () => url);
  queueAfterResponse(c, caller.registrarId);
  return c.json(success({ webhook: changed }));
});

registrarAccount.post('/webhook/secret', takesNoFields, async (c) => {
  const keepUrl = (current: string | null) => {
    if (current === null) throw noWebhook();
    return current;
  };
  const isRotated = true;
  const changed = await changeOwnWebhook(callWithoutKey(c), keepUrl, { isRotated });
  const { caller, url, secret } = changed;
  queueAfterResponse(c, caller.registrarId);
  return c.json(success({ webhook: { url, secret } }));
});

registrarAccount.post('/webhook/test', takesNoFields, async (c) => {
  const { db, login } = callWithoutKey(c);
  const webhook = await getOwnWebhook({ db, login });
  const test = await addTest(db, webhook, c.var.now);
  const { WEBHOOKS: queue } = c.env;
  if (queue && test.isNew) {
    afterResponse(c, queueTest(queue, webhook.registrarId, test, c.var.now));
  }
  return c.json(success({ delivery: { id: test.id } }));
});

registrarAccount.delete('/webhook', async (c) => {
  await changeOwnWebhook(callWithoutKey(c), () => null);
  return c.json(success({}));
});

registrarAccount.get('/notifications', async (c) => {
  const oldest = await findOldestUnread(database(c), c.var.login);
  return c.json(success(oldest ?? {}));
});

registrarAccount.get('/notifications/all_notifications', takesBoundedPage, async (c) => {
  const page = requestedPage(c.req.valid('query'));
  const unread = await listUnreadNotifications(database(c), c.var.login, page);
  linkAfter(c, page, unread);
  return c.json(success(unread.map(notificationRepresentation)));
});

registrarAccount.get('/notifications/:id', async (c) => {
  const id = parseId(c.req.param('id'));
  const { registrarId: _, ...notification } = await getNotification(database(c), c.var.login, id);
  return c.json(success(notification));
});

export const readBody = onFirstUse(() =>
  z.object({
    notification: z.object(
      { read: z.literal(true, 'Read must be true') },
      'Notification is invalid',
    ),
  }),
);

registrarAccount.put('/notifications/:id', body(readBody), async (c) => {
  const id = parseId(c.req.param('id'));
  await markNotificationRead(database(c), c.var.login, id, c.var.now);
  return c.json(success({ notification_id: id, read: true }));
});

function parseId(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new RegistryError('not_found', 'Object does not exist');
}
