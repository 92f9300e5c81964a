import { and, eq, type SQL, sql } from 'drizzle-orm';
import { webhookDeliveries, webhooks } from '../../../drizzle/schema.ts';
import { fromBase64, toBase64 } from '../../base/bytes/encoding.ts';
import { insertRows } from '../../base/database/insert-rows.ts';
import type { Database } from '../../base/database/open.ts';

const { deliveredAt, failedAt } = webhookDeliveries;

/** Whether a delivery is neither delivered nor given up. */
export const isOpen = sql`(${deliveredAt} is null and ${failedAt} is null)`;

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

/** Standard Webhooks (standardwebhooks.com) gives this prefix to secrets. */
const prefix = 'whsec_';

/** A new secret of a webhook: 256 random bits in base64, with the prefix. */
export function generateWebhookSecret(): string {
  return prefix + toBase64(crypto.getRandomValues(new Uint8Array(32)));
}

// Symmetric signatures of Standard Webhooks. The specification's own package verifies them in the tests; here it would
// add 4 KiB of HMAC to the bundle, which the runtime has built in.

/** The headers by which the receiver verifies who sent a body and when, and that it is unchanged. */
export async function signedHeaders(
  secret: string,
  { id, at, body }: { id: string; at: Date; body: string },
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const bytes = fromBase64(secret.slice(prefix.length))!;
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign']);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed));
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${toBase64(signature)}`,
  };
}
