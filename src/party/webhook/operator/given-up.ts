import { count, eq } from 'drizzle-orm';
import { registrars, webhookDeliveries, webhooks } from '../../../../drizzle/schema.ts';
import type { Database } from '../../../base/database/open.ts';
import { isGivenUp, ofWebhook, oldest } from '../outbox.ts';

/** Lists registrars with deliveries given up, how many, and when the oldest was created. */
export function listGivenUp(db: Database) {
  return db
    .select({ registrar: registrars.code, deliveries: count(), since: oldest })
    .from(webhookDeliveries)
    .innerJoin(webhooks, ofWebhook)
    .innerJoin(registrars, eq(registrars.id, webhooks.registrarId))
    .where(isGivenUp)
    .groupBy(registrars.code)
    .orderBy(registrars.code);
}
