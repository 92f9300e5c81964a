import { openDatabase } from './base/database/open.ts';
import type { Env, WebhookMessage } from './base/env.ts';
import { consumeDeliveries } from './party/webhook/consume.ts';
import { senderOf } from './party/webhook/deliver.ts';
import { runCron } from './worker/cron.ts';
import { app } from './worker/http/app.ts';
import { answerFromMemory } from './worker/http/public/from-memory.ts';
import { hasEnvironment } from './worker/settings.ts';

const noEnvironment =
  'This Worker belongs to no environment: deploy it with --env production or --env staging.\n';

/** The platform counts the run as failed, and repeats the messages of a queue. */
function withEnvironment(env: Env): Env {
  if (hasEnvironment(env)) return env;
  throw new Error(noEnvironment);
}

export default {
  fetch(request, env, context) {
    if (!hasEnvironment(env)) {
      const headers = { 'Cache-Control': 'private, no-store' };
      return new Response(noEnvironment, { status: 503, headers });
    }
    return answerFromMemory(request, env) ?? app.fetch(request, env, context);
  },
  scheduled: ({ cron }, env, context) => runCron(cron, withEnvironment(env), context),
  queue: (batch, env) =>
    consumeDeliveries(batch, openDatabase(withEnvironment(env).DB), env.WEBHOOKS!, senderOf(env)),
} satisfies ExportedHandler<Env, WebhookMessage>;
