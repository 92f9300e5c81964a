import { runCron } from './cron.ts';
import { openDatabase } from './database/open.ts';
import type { Env, WebhookMessage } from './env.ts';
import { app } from './http/app.ts';
import { answerFromMemory } from './http/public/from-memory.ts';
import { consumeDeliveries } from './webhook/consume.ts';
import { senderOf } from './webhook/deliver.ts';

export default {
  fetch: (request, env, context) =>
    answerFromMemory(request, env) ?? app.fetch(request, env, context),
  scheduled: ({ cron }, env, context) => runCron(cron, env, context),
  queue: (batch, env) =>
    consumeDeliveries(batch, openDatabase(env.DB), env.WEBHOOKS!, senderOf(env)),
} satisfies ExportedHandler<Env, WebhookMessage>;
