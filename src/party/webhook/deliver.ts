import { and, asc, eq, inArray, isNull, lte, or, sql } from 'drizzle-orm';
import { notifications, webhookDeliveries, webhooks } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { retried } from '../../base/database/retry.ts';
import { type Env, isLocalEnvironment } from '../../base/env.ts';
import { RegistryError } from '../../base/error.ts';
import { clockAhead, currentTime } from '../../base/time/clock.ts';
import { type Notification, notificationRepresentation } from '../registrar/notification.ts';
import { isOpen, signedHeaders, signingSecrets, type Webhook } from '../registrar/webhook.ts';
import { leaseState, stateAfter } from './hold.ts';
import { hasOpen } from './outbox.ts';
import { parseWebhookUrl } from './url.ts';

export interface WebhookSender {
  fetch: typeof fetch;
  now(): Date;
  isLocal: boolean;
}

export function senderOf(env: Env): WebhookSender {
  return {
    fetch: (url, init) => fetch(url, init),
    now: currentTime,
    isLocal: isLocalEnvironment(env),
  };
}

/** An invocation has five messages and 1,000 D1 queries. A delivery takes two. */
const deliveriesPerMessage = 50;

export type Delivery = typeof webhookDeliveries.$inferSelect;

/**
 * Sends the registrar's waiting deliveries in the order of the notifications until one fails. Only one caller at a time
 * sends: it holds the webhook by `resumesAt`. Returns when to continue; undefined if nothing waits. After an
 * interruption, unrecorded deliveries are sent again with the same ids.
 */
export async function sendDeliveries(
  db: Database,
  registrarId: number,
  sender: WebhookSender,
): Promise<Date | undefined> {
  const now = sender.now();
  const ofRegistrar = eq(webhooks.registrarId, registrarId);
  const isFree = or(isNull(webhooks.resumesAt), lte(webhooks.resumesAt, now.toISOString()));
  const [webhook] = await retried(() =>
    db.update(webhooks).set(leaseState(now)).where(and(ofRegistrar, isFree)).returning(),
  );
  if (!webhook) {
    const [current] = await retried(() => db.select().from(webhooks).where(ofRegistrar));
    return current && new Date(current.resumesAt ?? now);
  }
  for (const { delivery, notification } of await findWaiting(db, registrarId)) {
    const body = payloadOf(delivery, notification);
    const { outcome, isDelivered } = await post(webhook, delivery.id, body, sender);
    const next = stateAfter(webhook, isDelivered, sender.now());
    // Still held by this caller. A repeated batch finds the state that it wrote itself.
    const isHeld = inArray(webhooks.resumesAt, [webhook.resumesAt!, next.resumesAt]);
    const [, { meta }] = await retried(() =>
      db.batch([
        recordAttempt(db, delivery, { outcome, isDelivered, at: sender.now() }),
        db.update(webhooks).set(next).where(and(ofRegistrar, isHeld)),
      ]),
    );
    const resumesAt = new Date(next.resumesAt);
    // A new address or too slow an attempt gives the webhook to another caller.
    if (!isDelivered || meta.changes === 0) return resumesAt;
    Object.assign(webhook, next);
  }
  const release = {
    resumesAt: null,
    queuedUntil: sql`iif(${hasOpen}, ${webhooks.queuedUntil}, null)`,
  };
  // Reads the state in any case, because a repeated batch has already released the webhook.
  const [, [state]] = await retried(() =>
    db.batch([
      db
        .update(webhooks)
        .set(release)
        .where(and(ofRegistrar, eq(webhooks.resumesAt, webhook.resumesAt!))),
      db.select().from(webhooks).where(ofRegistrar),
    ]),
  );
  return state?.queuedUntil ? new Date(state.resumesAt ?? sender.now()) : undefined;
}

function findWaiting(db: Database, registrarId: number) {
  return retried(() =>
    db
      .select({ delivery: webhookDeliveries, notification: notifications })
      .from(webhookDeliveries)
      .innerJoin(notifications, eq(notifications.id, webhookDeliveries.notificationId))
      .where(and(eq(webhookDeliveries.registrarId, registrarId), isOpen))
      .orderBy(asc(webhookDeliveries.notificationId))
      .limit(deliveriesPerMessage),
  );
}

export function recordAttempt(
  db: Database,
  { id, attempts, failedAt }: Pick<Delivery, 'id' | 'attempts' | 'failedAt'>,
  { outcome, isDelivered, at }: { outcome: string; isDelivered: boolean; at: Date },
) {
  const attemptedAt = at.toISOString();
  const values = { attempts: attempts + 1, attemptedAt, outcome };
  const isAsSeen = sql`${webhookDeliveries.failedAt} is ${failedAt}`;
  return db
    .update(webhookDeliveries)
    .set({ ...values, ...(isDelivered && { deliveredAt: attemptedAt, failedAt: null }) })
    .where(
      and(
        eq(webhookDeliveries.id, id),
        isNull(webhookDeliveries.deliveredAt),
        // An arrived delivery counts as delivered, even if given up meanwhile.
        isDelivered ? undefined : isAsSeen,
      ),
    );
}

/** Has the names of changed fields but no values, so no personal data. */
function payloadOf({ createdAt }: Delivery, notification: Notification): string {
  const { read: _, ...data } = notificationRepresentation(notification);
  return JSON.stringify({ type: notification.event, timestamp: createdAt, data });
}

const maximumMilliseconds = 10_000;

export async function post(
  webhook: Webhook,
  id: string,
  body: string,
  { fetch, now, isLocal }: WebhookSender,
): Promise<{ outcome: string; isDelivered: boolean }> {
  // Receivers compare it with the real time.
  const signedAt = new Date(now().getTime() - clockAhead());
  try {
    // The rule may be stricter than when the URL was stored.
    const response = await fetch(parseWebhookUrl(webhook.url, { isLocal }), {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'Registry-Edge',
        ...(await signedHeaders(signingSecrets(webhook, now()), { id, at: signedAt, body })),
      },
      body,
      // A redirect could lead into a private network.
      redirect: 'manual',
      signal: AbortSignal.timeout(maximumMilliseconds),
    });
    // Only the status counts; the body may be long.
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
