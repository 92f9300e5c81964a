import { openDatabase } from './database/open.ts';
import type { Env } from './env.ts';
import { app } from './http/app.ts';
import { answerRevalidation } from './http/public/revalidation.ts';
import { logUnexpected } from './log.ts';
import { listNames } from './public-list/lists.ts';
import { publishAndPurge } from './public-list/publication.ts';
import { sweepLists } from './public-list/sweep.ts';
import { endHistoryValues, endOrphanContacts } from './retention.ts';
import { deleteOldOutcomes } from './write.ts';

export default {
  fetch: (request, env, context) =>
    answerRevalidation(request, env, context) ?? app.fetch(request, env, context),
  /**
   * Publishes what the calendar changed and what a failed run left undone, and deletes expired idempotency keys, the
   * personal data that the settings no longer keep, and parts of lists that nobody needs any more.
   */
  async scheduled(_controller, env, context) {
    const works = await Promise.allSettled([
      publishAndPurge(env, context, listNames),
      sweepLists(openDatabase(env.DB), env.LISTS, new Date()),
      deleteOldOutcomes(openDatabase(env.DB), new Date()),
      endOrphanContacts(env, new Date()),
      endHistoryValues(env, new Date()),
    ]);
    const errors = works.flatMap((work) => (work.status === 'rejected' ? [work.reason] : []));
    for (const error of errors) logUnexpected(error, undefined);
    if (errors.length > 0) throw new AggregateError(errors, 'scheduled work failed');
  },
} satisfies ExportedHandler<Env>;
