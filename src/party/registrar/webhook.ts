import { and, eq, type SQL, sql } from 'drizzle-orm';
import { webhookDeliveries, webhooks } from '../../../drizzle/schema.ts';
import { fromBase64, toBase64 } from '../../base/bytes/encoding.ts';
import { hmacKey } from '../../base/bytes/hmac.ts';
import { insertRows } from '../../base/database/insert-rows.ts';
import type { Database } from '../../base/database/open.ts';

export type Webhook = typeof webhooks.$inferSelect;

const { deliveredAt, failedAt } = webhookDeliveries;

/** Whether a delivery is neither delivered nor given up. */
export const isOpen = sql`(${deliveredAt} is null and ${failedAt} is null)`;

/** Standard Webhooks (standardwebhooks.com) gives this prefix to secrets. */
const prefix = 'whsec_';

/** A new secret of a webhook: 256 random bits in base64, with the prefix. */
export function generateWebhookSecret(): string {
  return prefix + toBase64(crypto.getRandomValues(new Uint8Array(32)));
}

/** The state of a webhook to which nothing has been sent. */
const untried = { queuedUntil: null, resumesAt: null, failures: 0, failingSince: null };

/**
 * The statements that give the registrar this webhook, or null for none, if the condition holds. A new URL or secret takes
 * the webhook from the consumer that is posting to the old one; without a URL, waiting deliveries are given up.
 */
export function webhookStatements(
  db: Database,
  registrarId: number,
  webhook: Pick<Webhook, 'url' | 'secret' | 'replacedSecrets'> | null | undefined,
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

// Symmetric signatures of Standard Webhooks. The specification's own package verifies them in the tests; here it would
// add 4 KiB of HMAC to the bundle, which the runtime has built in.

/** The secrets that sign at this time, the newest first. */
export function signingSecrets({ secret, replacedSecrets }: Webhook, now: Date): string[] {
  const replaced = replacedSecrets.filter(({ until }) => until > now.toISOString());
  return [secret, ...replaced.map((each) => each.secret)];
}

/**
 * The headers by which the receiver verifies who sent a body and when, and that it is unchanged. There is a signature with
 * each secret.
 */
export async function signedHeaders(
  secrets: readonly string[],
  { id, at, body }: { id: string; at: Date; body: string },
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signatures = await Promise.all(secrets.map((each) => signature(each, signed)));
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

async function signature(secret: string, signed: BufferSource): Promise<string> {
  const key = await hmacKey(fromBase64(secret.slice(prefix.length))!);
  return `v1,${toBase64(new Uint8Array(await crypto.subtle.sign('HMAC', key, signed)))}`;
}
