import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import { webhookDeliveries, webhooks } from '../../../drizzle/schema.ts';
import { fromBase64, toBase64 } from '../../base/bytes/encoding.ts';
import { hmacKey } from '../../base/bytes/hmac.ts';
import { insertRows } from '../../base/database/insert-rows.ts';
import type { Database } from '../../base/database/open.ts';
import { prohibited } from './own-account.ts';

export type Webhook = typeof webhooks.$inferSelect;

const { deliveredAt, failedAt } = webhookDeliveries;

export const isOpen = sql`(${deliveredAt} is null and ${failedAt} is null)`;

/** The prefix for secrets in Standard Webhooks (standardwebhooks.com). */
const prefix = 'whsec_';

export const goneProblem =
  'The receiver has answered 410 (Gone): nothing is sent to this URL until the webhook is set again.';

/** Throws `update_prohibited` if the receiver has answered 410. */
export function checkNotGone({ goneAt }: Webhook): void {
  if (goneAt !== null) throw prohibited(goneProblem);
}

export function generateWebhookSecret(): string {
  return prefix + toBase64(crypto.getRandomValues(new Uint8Array(32)));
}

const initialState = { queuedUntil: null, heldUntil: null, resumesAt: null, failures: 0 };

/**
 * Returns statements that set or, for null, remove the registrar's webhook if the condition holds. A new URL or secret
 * takes the webhook from the consumer that is posting to the old one. What the receiver has asked for (`Retry-After`)
 * holds until the URL changes, and a waiting test ends with its URL. A removal gives up waiting deliveries.
 */
export function webhookStatements(
  db: Database,
  registrarId: number,
  webhook: Pick<Webhook, 'url' | 'secret' | 'replacedSecrets' | 'goneAt'> | null | undefined,
  { at, condition }: { at: string; condition: SQL },
) {
  if (webhook === undefined) return [];
  const { notificationId } = webhookDeliveries;
  const giveUp = (outcome: string, which: SQL | undefined) =>
    db
      .update(webhookDeliveries)
      .set({
        failedAt: sql`ifnull(${failedAt}, ${at})`,
        outcome: sql`iif(${failedAt} is null, ${outcome}, ${webhookDeliveries.outcome})`,
        status: sql`iif(${failedAt} is null, null, ${webhookDeliveries.status})`,
        droppedAt: at,
      })
      .where(and(eq(webhookDeliveries.registrarId, registrarId), which, condition));
  if (webhook === null) {
    return [
      db.delete(webhooks).where(and(eq(webhooks.registrarId, registrarId), condition)),
      giveUp('the registrar has no webhook any more', sql`${deliveredAt} is null`),
    ];
  }
  const { url } = webhook;
  const isSameUrl = sql`${webhooks.url} = ${url}`;
  const kept = sql`iif(${isSameUrl}, ${webhooks.retryAfter}, null)`;
  // Null if deliveries do not pause, or the receiver has not asked for it.
  const pause = sql`min(${webhooks.resumesAt}, ${kept})`;
  const set = { ...webhook, createdAt: at, ...initialState, failingSince: webhook.goneAt };
  const hasOther = sql`exists (select 1 from ${webhooks}
    where ${webhooks.registrarId} = ${registrarId} and not ${isSameUrl})`;
  return [
    giveUp('the webhook has another URL', and(isNull(notificationId), isOpen, hasOther)),
    insertRows(
      db,
      webhooks,
      { ...set, retryAfter: null, registrarId },
      sql`where ${condition}`,
    ).onConflictDoUpdate({
      target: webhooks.registrarId,
      set: { ...set, resumesAt: pause, retryAfter: kept },
    }),
  ];
}

// Symmetric signatures of Standard Webhooks. The tests verify them with the specification's own package.

/** Returns the replaced secrets that sign at this time, oldest first. */
export function replacedAt({ replacedSecrets }: Webhook, now: Date): Webhook['replacedSecrets'] {
  return replacedSecrets.filter(({ until }) => until > now.toISOString());
}

/** Returns the secrets that sign at this time, newest first. */
export function signingSecrets(webhook: Webhook, now: Date): string[] {
  const replaced = replacedAt(webhook, now).map(({ secret }) => secret);
  return [webhook.secret, ...replaced.reverse()];
}

export async function signedHeaders(
  secrets: readonly string[],
  { id, at, body }: { id: string; at: Date; body: string },
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const message = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signatures = await Promise.all(secrets.map((each) => signature(each, message)));
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

async function signature(secret: string, message: BufferSource): Promise<string> {
  const key = await hmacKey(fromBase64(secret.slice(prefix.length))!);
  return `v1,${toBase64(new Uint8Array(await crypto.subtle.sign('HMAC', key, message)))}`;
}
