import { and, eq, sql } from 'drizzle-orm';
import { notifications, webhookDeliveries, webhooks } from '../../drizzle/schema.ts';
import { clockAhead, currentTime } from '../clock.ts';
import { insertRows } from '../database/insert-rows.ts';
import type { Database } from '../database/open.ts';
import { retried } from '../database/retry.ts';
import { type Env, isLocalEnvironment } from '../env.ts';
import { RegistryError } from '../error.ts';
import { type Notification, notificationRepresentation } from '../registrar/notification.ts';
import { isOpen } from './outbox.ts';
import { signedHeaders } from './signature.ts';
import { parseWebhookUrl } from './url.ts';

/** The means and the time of sending. */
export interface WebhookSender {
  fetch: typeof fetch;
  now(): Date;
  /** In the local environment, a webhook may be on this machine. */
  isLocal: boolean;
  timeoutMilliseconds?: number;
}

/** Sends by the platform's `fetch`, now. */
export function senderOf(env: Env): WebhookSender {
  return {
    fetch: (url, init) => fetch(url, init),
    now: currentTime,
    isLocal: isLocalEnvironment(env),
  };
}

type Delivery = typeof webhookDeliveries.$inferSelect;

/**
 * Sends a delivery unless it has been delivered or given up, and records what came of it. Returns whether nothing is left
 * to do. If the process ends between the two, the next attempt sends it again, with the same id.
 */
export async function deliver(db: Database, id: string, sender: WebhookSender): Promise<boolean> {
  const [found] = await retried(() =>
    db
      .select({ delivery: webhookDeliveries, webhook: webhooks, notification: notifications })
      .from(webhookDeliveries)
      .leftJoin(webhooks, eq(webhooks.registrarId, webhookDeliveries.registrarId))
      .leftJoin(notifications, eq(notifications.id, webhookDeliveries.notificationId))
      .where(and(eq(webhookDeliveries.id, id), isOpen)),
  );
  if (!found) return true;
  const { delivery, webhook, notification } = found;
  const at = sender.now();
  if (!webhook) {
    const outcome = 'the registrar has no webhook any more';
    await record(db, id, { outcome, failedAt: at.toISOString() });
    return true;
  }
  const { outcome, isDelivered } = await post(
    webhook,
    id,
    payloadOf(delivery, notification),
    sender,
  );
  await record(db, id, {
    attempts: delivery.attempts + 1,
    attemptedAt: at.toISOString(),
    outcome,
    ...(isDelivered && { deliveredAt: at.toISOString() }),
  });
  return isDelivered;
}

function record(db: Database, id: string, values: Partial<Delivery>) {
  return retried(() =>
    db
      .update(webhookDeliveries)
      .set(values)
      .where(and(eq(webhookDeliveries.id, id), isOpen)),
  );
}

/** No personal data: the names of fields, not their values. */
function payloadOf({ createdAt }: Delivery, notification: Notification | null): string {
  if (!notification) {
    return JSON.stringify({ type: 'webhook.test', timestamp: createdAt, data: {} });
  }
  const { read: _, ...data } = notificationRepresentation(notification);
  return JSON.stringify({ type: notification.event, timestamp: createdAt, data });
}

const maximumMilliseconds = 10_000;

async function post(
  { url, secret }: typeof webhooks.$inferSelect,
  id: string,
  body: string,
  { fetch, now, isLocal, timeoutMilliseconds = maximumMilliseconds }: WebhookSender,
): Promise<{ outcome: string; isDelivered: boolean }> {
  // The receiver judges it by the real time.
  const signedAt = new Date(now().getTime() - clockAhead());
  try {
    // The rule may have become stricter since the URL was stored.
    const response = await fetch(parseWebhookUrl(url, { isLocal }), {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'Registry-Edge',
        ...(await signedHeaders(secret, { id, at: signedAt, body })),
      },
      body,
      // A redirect could lead into a private network.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMilliseconds),
    });
    // Only the status of the answer counts, however long its body is.
    await response.body?.cancel();
    return { outcome: `HTTP ${response.status}`, isDelivered: response.ok };
  } catch (error) {
    return { outcome: failureOf(error), isDelivered: false };
  }
}

function failureOf(error: unknown): string {
  if (error instanceof RegistryError) return error.message;
  const isTimeout = error instanceof Error && error.name === 'TimeoutError';
  return isTimeout ? 'no answer in time' : 'no connection';
}

/**
 * Sends a test to the registrar's webhook, once, and records what came of it, which it returns. Throws `not_found` if the
 * registrar has no webhook.
 */
export async function testWebhook(
  db: Database,
  code: string,
  sender: WebhookSender,
): Promise<Pick<Delivery, 'id' | 'outcome' | 'deliveredAt'>> {
  const id = `msg_${crypto.randomUUID().replaceAll('-', '')}`;
  const at = sender.now().toISOString();
  // Counted as queued, so that nothing but this call sends it.
  const row = { id, registrarId: sql`registrars.id`, createdAt: at, queuedAt: at };
  const ofRegistrar = sql`from registrars join webhooks on registrar_id = registrars.id where code = ${code}`;
  const { meta } = await insertRows(db, webhookDeliveries, row, ofRegistrar);
  if (meta.changes === 0) {
    throw new RegistryError('not_found', `registrar ${code} has no webhook`, 'registrar');
  }
  await deliver(db, id, sender);
  await record(db, id, { failedAt: sender.now().toISOString() });
  const [delivery] = await db.select().from(webhookDeliveries).where(eq(webhookDeliveries.id, id));
  return delivery!;
}
