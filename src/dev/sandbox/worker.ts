import worker from '../../index.ts';
import { app } from '../../worker/http/app.ts';
import { type FetchingWorker, lendBindings } from '../lend-bindings.ts';
import { sandbox } from './calls.ts';
import { openClock } from './clock.ts';

app.route('/sandbox', sandbox);

/** The Worker that `npm start -- --sandbox` runs: the deployed one, with a clock that can be moved. */
export default {
  ...lendBindings(worker, ({ DB }) => openClock(DB)),
  async scheduled({ cron, scheduledTime, noRetry }, env, context) {
    await openClock(env.DB);
    return worker.scheduled({ cron, scheduledTime, noRetry }, env, context);
  },
  async queue(batch, env) {
    await openClock(env.DB);
    return worker.queue(batch, env);
  },
} satisfies FetchingWorker;
