import * as z from 'zod/mini';
import { getOwnAccount, replaceOwnSecret } from '../../../party/registrar/own-account.ts';
import { clientReference } from '../request/client-reference.ts';
import { database, queueAfterResponse } from '../request/context.ts';
import { newApp } from '../request/hono.ts';
import { parseBody } from '../request/input.ts';
import { done } from './answer.ts';
import { registrarMiddleware } from './login.ts';
import { notifications } from './notifications.ts';

export const registrarAccount = newApp();

registrarAccount.use(...registrarMiddleware);

registrarAccount.get('/', async (c) => {
  const account = await getOwnAccount(database(c), c.var.login);
  return c.json(
    done({
      registrar: {
        code: account.registrarCode,
        name: account.name,
        allowed_ips: account.allowedIps,
        webhook_url: account.webhookUrl,
        api_user:
          account.username === null
            ? null
            : {
                username: account.username,
                secret_changed_at: account.secretChangedAt,
                previous_secret_valid_until: account.previousSecretValidUntil,
              },
      },
    }),
  );
});

export const secretBody = z.object({});

registrarAccount.post('/api_user/secret', async (c) => {
  await parseBody(c, secretBody, { isOptional: true });
  // An idempotency key would need the outcome kept, and the secret is kept nowhere.
  const request = {
    at: c.var.now,
    requestId: c.var.requestId,
    clientReference: clientReference(c)?.value,
  };
  const { caller, username, secret } = await replaceOwnSecret(database(c), c.var.login, request);
  queueAfterResponse(c, caller.registrarId);
  return c.json(done({ api_user: { username, secret, previous_secret_valid_until: null } }));
});

registrarAccount.route('/notifications', notifications);
