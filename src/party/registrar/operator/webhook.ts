import { and, eq, type SQL, sql } from 'drizzle-orm';
import { webhookDeliveries, webhooks } from '../../../../drizzle/schema.ts';
import { toBase64 } from '../../../base/bytes/encoding.ts';
import { insertRows } from '../../../base/database/insert-rows.ts';
import type { Database } from '../../../base/database/open.ts';
import { RegistryError } from '../../../base/error.ts';
import { getRegistrar } from '../account.ts';
import { isOpen, prefix } from '../webhook.ts';

/** The state of a webhook to which nothing has been sent. */
const untried = { queuedUntil: null, resumesAt: null, failures: 0, failingSince: null };

/**
 * The statements that give the registrar this webhook, or null for none, if the condition holds. A new URL or secret takes
 * the webhook from the consumer that is posting to the old one; without a URL, waiting deliveries are given up.
 */
export function webhookStatements(
  db: Database,
  registrarId: number,
  webhook: { url: string; secret: string } | null | undefined,
  { at, condition }: { at: string; condition: SQL },
) {
  if (webhook === undefined) return [];
  if (webhook === null) {
    return [
      db.delete(webhooks).where(and(eq(webhooks.registrarId, registrarId), condition)),
      db
        .update(webhookDeliveries)
        .set({ failedAt: at, outcome: 'the registrar has no webhook any more' })
        .where(and(eq(webhookDeliveries.registrarId, registrarId), isOpen, condition)),
    ];
  }
  const set = { ...webhook, createdAt: at, ...untried };
  return [
    insertRows(db, webhooks, { ...set, registrarId }, sql`where ${condition}`).onConflictDoUpdate({
      target: webhooks.registrarId,
      set,
    }),
  ];
}

/** A new secret of a webhook: 256 random bits in base64, with the prefix. */
export function generateWebhookSecret(): string {
  return prefix + toBase64(crypto.getRandomValues(new Uint8Array(32)));
}

export async function getWebhook(db: Database, code: string) {
  const { id } = await getRegistrar(db, code);
  const [webhook] = await db.select().from(webhooks).where(eq(webhooks.registrarId, id));
  if (webhook) return webhook;
  throw new RegistryError('not_found', `registrar ${code} has no webhook`, 'registrar');
}
