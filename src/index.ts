import { openDatabase } from './database/open.ts';
import type { Env } from './env.ts';
import { app } from './http/app.ts';
import { logUnexpected } from './http/log.ts';
import { answerRevalidation } from './http/public/revalidation.ts';
import { publishLists } from './http/publish.ts';
import { forgetAnswers } from './idempotency.ts';
import { listNames } from './public-list/source.ts';

export default {
  fetch: (request, env, context) =>
    answerRevalidation(request, env, context) ?? app.fetch(request, env, context),
  /** What the calendar changes, what a publishing that failed has left undone, and answers kept long enough. */
  async scheduled(_controller, env, context) {
    const works = await Promise.allSettled([
      publishLists(env, context, listNames),
      forgetAnswers(openDatabase(env.DB), new Date()),
    ]);
    const errors = works.flatMap((work) => (work.status === 'rejected' ? [work.reason] : []));
    for (const error of errors) logUnexpected(error, undefined);
    if (errors.length > 0) throw new AggregateError(errors, 'scheduled work failed');
  },
} satisfies ExportedHandler<Env>;
