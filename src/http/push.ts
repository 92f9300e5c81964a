import { openDatabase } from '../database/open.ts';
import { queueDeliveries } from '../webhook/outbox.ts';
import { type AppContext, afterResponse } from './context.ts';

/**
 * Gives the queue of webhooks, after the response, what the request has put into the outbox. A failure is logged, and
 * the scheduled run makes up for it.
 */
export function pushAfterResponse(c: AppContext): void {
  const { DB, WEBHOOKS: queue } = c.env;
  if (!queue) return;
  afterResponse(c, queueDeliveries(openDatabase(DB), queue, c.var.now));
}
