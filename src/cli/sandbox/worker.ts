import { app } from '../../http/app.ts';
import worker from '../../index.ts';
import { lendBindings } from '../lend-bindings.ts';
import { sandbox } from './calls.ts';
import { openClock } from './clock.ts';

app.route('/sandbox', sandbox);

const local = lendBindings(worker);

/**
 * The Worker that `npm start -- --sandbox` runs: the one that is deployed, on a database that may be thrown away, with a
 * clock that can be moved. A deployment has none of this: it runs src/index.ts.
 */
export default {
  async fetch(request, env, context) {
    await openClock(env.DB);
    return local.fetch(request, env, context);
  },
  async scheduled({ cron, scheduledTime, noRetry }, env, context) {
    await openClock(env.DB);
    return worker.scheduled({ cron, scheduledTime, noRetry }, env, context);
  },
  async queue(batch, env) {
    await openClock(env.DB);
    return worker.queue(batch, env);
  },
} satisfies typeof local;
