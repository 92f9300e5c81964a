import { openDatabase } from './base/database/open.ts';
import type { Env, WebhookMessage } from './base/env.ts';
import { consumeDeliveries } from './party/webhook/consume.ts';
import { senderOf } from './party/webhook/deliver.ts';
import { runCron } from './worker/cron.ts';
import { app } from './worker/http/app.ts';
import { answerFromMemory } from './worker/http/public/from-memory.ts';

export default {
  fetch: (request, env, context) =>
    answerFromMemory(request, env) ?? app.fetch(request, env, context),
  scheduled: ({ cron }, env, context) => runCron(cron, env, context),
  queue: (batch, env) =>
    consumeDeliveries(batch, openDatabase(env.DB), env.WEBHOOKS!, senderOf(env)),
} satisfies ExportedHandler<Env, WebhookMessage>;
