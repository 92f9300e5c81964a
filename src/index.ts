import { runCron } from './cron.ts';
import type { Env } from './env.ts';
import { app } from './http/app.ts';
import { answerRevalidation } from './http/public/revalidation.ts';

export default {
  fetch: (request, env, context) =>
    answerRevalidation(request, env, context) ?? app.fetch(request, env, context),
  scheduled: ({ cron }, env, context) => runCron(cron, env, context),
} satisfies ExportedHandler<Env>;
