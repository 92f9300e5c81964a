import { and, asc, eq, inArray, isNull, lte, or, sql } from 'drizzle-orm';
import { notifications, webhookDeliveries, webhooks } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { retry } from '../../base/database/retry.ts';
import { type Env, isLocalEnvironment } from '../../base/env.ts';
import { RegistryError } from '../../base/error.ts';
import { clockAhead, currentTime } from '../../base/time/clock.ts';
import { type Notification, notificationRepresentation } from '../registrar/notification.ts';
import { isOpen, signedHeaders, signingSecrets, type Webhook } from '../registrar/webhook.ts';
import { leaseState, longestLease, type ReceiverAnswer, stateAfter } from './hold.ts';
import { outcomeOf, testEvent } from './list.ts';
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
const deliveriesPerTurn = 50;
/** A slow receiver's next delivery is another message, behind those of the other registrars. */
const turnMilliseconds = 10_000;

type Delivery = typeof webhookDeliveries.$inferSelect;

/**
 * Sends the registrar's waiting deliveries until one fails or its turn ends: a test, then in the order of the
 * notifications. Only one caller at a time sends: it holds the webhook by `resumesAt`. Returns when to continue;
 * undefined if nothing waits or another message comes. After an interruption, unrecorded deliveries are sent again with
 * the same ids.
 */
export async function sendDeliveries(
  db: Database,
  registrarId: number,
  sender: WebhookSender,
  maximum = deliveriesPerTurn,
): Promise<Date | undefined> {
  const now = sender.now();
  const ofRegistrar = eq(webhooks.registrarId, registrarId);
  const isFree = or(isNull(webhooks.resumesAt), lte(webhooks.resumesAt, now.toISOString()));
  const canSend = and(ofRegistrar, isNull(webhooks.goneAt), isFree);
  const [webhook] = await retry(() =>
    db.update(webhooks).set(leaseState(now)).where(canSend).returning(),
  );
  if (!webhook) {
    const [current] = await retry(() => db.select().from(webhooks).where(ofRegistrar));
    if (!current || current.goneAt !== null) return undefined;
    const resumesAt = current.resumesAt ?? now.toISOString();
    // Whoever began a pause has sent a message for its end, so old messages do not pile up.
    return resumesAt > longestLease(now) ? undefined : new Date(resumesAt);
  }
  const turnEndsAt = now.getTime() + turnMilliseconds;
  for (const { delivery, notification } of await findWaiting(db, registrarId, maximum)) {
    if (sender.now().getTime() > turnEndsAt) break;
    const body = payloadOf(delivery, notification);
    const answer = await post(webhook, delivery.id, body, sender);
    const next = stateAfter(webhook, answer, sender.now());
    // Still held by this caller. A repeated batch finds the state that it wrote itself.
    const isHeld = inArray(webhooks.resumesAt, [webhook.resumesAt!, next.resumesAt]);
    const [, { meta }] = await retry(() =>
      db.batch([
        recordAttempt(db, delivery, answer, sender.now()),
        db.update(webhooks).set(next).where(and(ofRegistrar, isHeld)),
      ]),
    );
    // A new address or too slow an attempt gives the webhook to another caller.
    if (!answer.isDelivered || meta.changes === 0) {
      return next.goneAt ? undefined : new Date(next.resumesAt);
    }
    Object.assign(webhook, next);
  }
  const release = {
    resumesAt: null,
    queuedUntil: sql`iif(${hasOpen}, ${webhooks.queuedUntil}, null)`,
  };
  // Reads the state in any case, because a repeated batch has already released the webhook.
  const [, [state]] = await retry(() =>
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

/** A test has no notification, and null comes first. */
function findWaiting(db: Database, registrarId: number, maximum: number) {
  return retry(() =>
    db
      .select({ delivery: webhookDeliveries, notification: notifications })
      .from(webhookDeliveries)
      .leftJoin(notifications, eq(notifications.id, webhookDeliveries.notificationId))
      .where(and(eq(webhookDeliveries.registrarId, registrarId), isOpen))
      .orderBy(asc(webhookDeliveries.notificationId))
      .limit(maximum),
  );
}

/** A test has one attempt. */
function recordAttempt(
  db: Database,
  { id, notificationId, attempts, failedAt }: Delivery,
  { outcome, status, isDelivered }: ReceiverAnswer,
  at: Date,
) {
  const attemptedAt = at.toISOString();
  const values = { attempts: attempts + 1, attemptedAt, outcome, status };
  const isAsSeen = sql`${webhookDeliveries.failedAt} is ${failedAt}`;
  const givenUp = notificationId === null && { failedAt: attemptedAt };
  const delivered = { deliveredAt: attemptedAt, failedAt: null };
  return db
    .update(webhookDeliveries)
    .set({ ...values, ...(isDelivered ? delivered : givenUp) })
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
function payloadOf({ createdAt }: Delivery, notification: Notification | null): string {
  if (!notification) return JSON.stringify({ type: testEvent, timestamp: createdAt, data: {} });
  const { read: _, ...data } = notificationRepresentation(notification);
  return JSON.stringify({ type: notification.event, timestamp: createdAt, data });
}

const maximumMilliseconds = 10_000;

async function post(
  webhook: Webhook,
  id: string,
  body: string,
  { fetch, now, isLocal }: WebhookSender,
): Promise<ReceiverAnswer> {
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
    const { status, ok: isDelivered, headers } = response;
    return {
      outcome: outcomeOf(status),
      status,
      isDelivered,
      retryAfter: retryAfterOf(headers, signedAt),
    };
  } catch (error) {
    return { outcome: failureOf(error), status: null, isDelivered: false, retryAfter: 0 };
  }
}

/**
 * Returns the milliseconds of a Retry-After (RFC 9110, section 10.2.3), or 0. The receiver's own clock measures the
 * time to its date.
 */
function retryAfterOf(headers: Headers, now: Date): number {
  const value = headers.get('Retry-After') ?? '';
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const sentAt = Date.parse(headers.get('Date') ?? '') || now.getTime();
  return Date.parse(value) - sentAt || 0;
}

function failureOf(error: unknown): string {
  if (error instanceof RegistryError) return error.message;
  const isTimeout = error instanceof Error && error.name === 'TimeoutError';
  return isTimeout ? 'no answer in time' : 'no connection';
}
