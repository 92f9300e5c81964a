import * as z from 'zod/mini';
import { getOwnAccount, replaceOwnSecret } from '../../registrar/own-account.ts';
import { clientReference, echoClientReference } from '../client-reference.ts';
import { database, queueAfterResponse } from '../context.ts';
import { newApp } from '../hono.ts';
import { limitBody, parseBody } from '../input.ts';
import { continueSession } from '../session.ts';
import { throttleAddress } from '../throttle.ts';
import { done } from './answer.ts';
import { basicLogin } from './login.ts';
import { notifications } from './notifications.ts';

export const registrarAccount = newApp();

registrarAccount.use(throttleAddress, basicLogin, limitBody, echoClientReference, continueSession);

registrarAccount.get('/', async (c) => {
  const account = await getOwnAccount(database(c), c.var.login);
  return c.json(
    done({
      registrar: {
        code: account.registrarCode,
        name: account.name,
        allowed_ips: account.allowedIps,
        webhook_url: account.webhookUrl,
        api_user: {
          username: account.username,
          secret_changed_at: account.secretChangedAt,
          previous_secret_valid_until: account.previousSecretValidUntil,
        },
      },
    }),
  );
});

/** It takes no field; a body need not be sent. */
export const secretBody = z.object({});

registrarAccount.post('/api_user/secret', async (c) => {
  if ((await c.req.arrayBuffer()).byteLength > 0) await parseBody(c, secretBody);
  // Without a key: the outcome would have to be kept, and the secret is kept nowhere.
  const request = {
    at: c.var.now,
    requestId: c.var.requestId,
    clientReference: clientReference(c)?.value,
  };
  const { caller, secret } = await replaceOwnSecret(database(c), c.var.login, request);
  queueAfterResponse(c, caller.registrarId);
  const { username } = caller;
  return c.json(done({ api_user: { username, secret, previous_secret_valid_until: null } }));
});

registrarAccount.route('/notifications', notifications);
