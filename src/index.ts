import { openDatabase } from './database.ts';
import type { Env } from './env.ts';
import { app } from './http/app.ts';
import { logUnexpected } from './http/log.ts';
import { publishLists } from './http/publish.ts';
import { forgetAnswers } from './idempotency.ts';
import { listNames } from './public-list/source.ts';

export default {
  fetch: app.fetch,
  /** What the calendar changes, what a publishing that failed has left undone, and answers kept long enough. */
  async scheduled(_controller, env, context) {
    try {
      await forgetAnswers(openDatabase(env.DB), new Date());
      await publishLists(env, context, listNames);
    } catch (error) {
      logUnexpected(error, undefined);
      throw error;
    }
  },
} satisfies ExportedHandler<Env>;
