import { and, eq, type SQL, sql } from 'drizzle-orm';
import { registrars, webhookDeliveries, webhooks } from '../../drizzle/schema.ts';
import { insertRows } from '../database/insert-rows.ts';
import type { Database } from '../database/open.ts';

const { deliveredAt, failedAt } = webhookDeliveries;

/** Whether a delivery is neither delivered nor given up. */
export const isOpen = sql`(${deliveredAt} is null and ${failedAt} is null)`;

/** The state of a webhook to which nothing has been sent. */
const untried = { queuedUntil: null, resumesAt: null, failures: 0, failingSince: null };

/**
 * The statements that store the registrar's webhook if the condition holds. A new URL or secret takes the webhook from
 * the consumer that is posting to the old one; without a URL, waiting deliveries are given up.
 */
export function webhookStatements(
  db: Database,
  {
    code,
    webhookUrl: url,
    updatedAt,
  }: { code: string; webhookUrl: string | null; updatedAt: string },
  secret: string | undefined,
  condition: SQL,
) {
  if (url === null) {
    const id = sql`(select id from ${registrars} where code = ${code})`;
    return [
      db.delete(webhooks).where(and(eq(webhooks.registrarId, id), condition)),
      db
        .update(webhookDeliveries)
        .set({ failedAt: updatedAt, outcome: 'the registrar has no webhook any more' })
        .where(and(eq(webhookDeliveries.registrarId, id), isOpen, condition)),
    ];
  }
  if (secret === undefined) return [];
  const set = { url, secret, createdAt: updatedAt, ...untried };
  const webhook = { ...set, registrarId: sql`id` };
  const ofRegistrar = sql`from ${registrars} where code = ${code} and ${condition}`;
  return [
    insertRows(db, webhooks, webhook, ofRegistrar).onConflictDoUpdate({
      target: webhooks.registrarId,
      set,
    }),
  ];
}
