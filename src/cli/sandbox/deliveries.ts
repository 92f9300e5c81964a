import { asc } from 'drizzle-orm';
import { webhooks } from '../../../drizzle/schema.ts';
import { openDatabase } from '../../database/open.ts';
import type { Env } from '../../env.ts';
import { currentTime } from '../../time/clock.ts';
import { sendDeliveries, senderOf } from '../../webhook/deliver.ts';
import { hasOpen } from '../../webhook/outbox.ts';
import { setClock } from './clock.ts';

/** Moves the clock from one attempt to deliver to the next, until no delivery is due by then. */
export async function deliverUntil(env: Env, then: Date): Promise<void> {
  const db = openDatabase(env.DB);
  for (;;) {
    // A webhook that never failed is due now, and null comes first.
    const [next] = await db
      .select()
      .from(webhooks)
      .where(hasOpen)
      .orderBy(asc(webhooks.resumesAt))
      .limit(1);
    const dueAt = next && new Date(next.resumesAt ?? 0);
    if (!dueAt || dueAt > then) return;
    if (dueAt > currentTime()) await setClock(env.DB, dueAt);
    await sendDeliveries(db, next.registrarId, senderOf(env));
  }
}
