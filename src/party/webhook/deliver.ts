import { and, asc, eq, isNotNull, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { notifications, webhookDeliveries, webhooks } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { retry } from '../../base/database/retry.ts';
import { type Env, isLocalEnvironment } from '../../base/env.ts';
import { RegistryError } from '../../base/error.ts';
import { clockAhead, currentTime, timeAfter } from '../../base/time/clock.ts';
import { type Notification, notificationRepresentation } from '../registrar/notification.ts';
import { isOpen, signedHeaders, signingSecrets, type Webhook } from '../registrar/webhook.ts';
import { holdFrom, noPause, type ReceiverAnswer, stateAfter, turnFrom } from './hold.ts';
import { httpOutcome, testEvent } from './list.ts';
import { reservation } from './outbox.ts';
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
 * When to continue: with a message of this turn, or, without one, with the same message again. Undefined if nothing
 * waits, or another message comes.
 */
export interface Next {
  at: Date;
  turn?: string;
}

/**
 * Sends the registrar's waiting deliveries until one fails or its turn ends: a test, then in the order of the
 * notifications. Only one caller at a time sends: it holds the webhook by `heldUntil`. A message of another `turn` sends
 * nothing. After an interruption, unrecorded deliveries are sent again with the same ids.
 */
export async function sendDeliveries(
  db: Database,
  registrarId: number,
  sender: WebhookSender,
  { turn }: { turn?: string | undefined } = {},
): Promise<Next | undefined> {
  const now = sender.now();
  const ofTurn = turn === undefined ? undefined : eq(webhooks.queuedUntil, turn);
  const canSend = and(ofTurn, isOver(webhooks.resumesAt, now));
  const { webhook, current } = await hold(db, registrarId, now, canSend);
  if (!webhook) {
    if (!current || (turn !== undefined && current.queuedUntil !== turn)) return undefined;
    const at = later(current.heldUntil, current.resumesAt, now.toISOString());
    // Whoever began the pause has sent a message of the turn for its end.
    return turn === undefined && at === current.resumesAt ? undefined : { at: new Date(at) };
  }
  const turnEndsAt = now.getTime() + turnMilliseconds;
  for (const { delivery, notification } of await findWaiting(db, registrarId, now)) {
    if (sender.now().getTime() > turnEndsAt) break;
    const next = await attempt(db, webhook, { delivery, notification }, sender);
    // A new address or too slow an attempt gives the webhook to another caller.
    if (!next) break;
    if (next.queuedUntil) {
      return next.goneAt ? undefined : { at: new Date(next.resumesAt!), turn: next.queuedUntil };
    }
    if (next.goneAt) break;
    Object.assign(webhook, next);
  }
  return release(db, webhook, sender.now(), noPause);
}

/**
 * Sends this test, if it still waits, though deliveries pause. If it arrives, deliveries go on; if not, nothing changes
 * for them.
 */
export async function sendWaitingTest(
  db: Database,
  registrarId: number,
  sender: WebhookSender,
  id: string,
): Promise<Next | undefined> {
  const now = sender.now();
  const ofTest = and(eq(webhookDeliveries.id, id), isOpen);
  const { webhook, current } = await hold(db, registrarId, now, isOver(webhooks.retryAfter, now));
  if (!webhook) {
    if (!current || (await retry(() => db.$count(webhookDeliveries, ofTest))) === 0)
      return undefined;
    const soon = timeAfter(now, secondsBesideSender * 1000);
    return {
      at: new Date(later(current.retryAfter, current.heldUntil && soon, now.toISOString())),
    };
  }
  const [delivery] = await retry(() => db.select().from(webhookDeliveries).where(ofTest));
  const isDue = delivery && delivery.waitsSince <= now.toISOString();
  const next = isDue && (await attempt(db, webhook, { delivery, notification: null }, sender));
  const hasArrived = next && next.failures === 0;
  const endsPause = hasArrived && webhook.resumesAt !== null;
  const following = await release(
    db,
    { ...webhook, ...next },
    sender.now(),
    endsPause ? noPause : {},
  );
  return delivery && !isDue ? { at: new Date(delivery.waitsSince) } : following;
}

/** Another process is sending: it sends the test too, if it is at work that long. */
const secondsBesideSender = 5;

const later = (...times: readonly (string | null)[]) =>
  times.reduce<string>((latest, time) => (time !== null && time > latest ? time : latest), '');

const isOver = (time: SQLiteColumn, now: Date) => or(isNull(time), lte(time, now.toISOString()));

/** Returns the webhook if it is free and the condition holds, and otherwise its state, unless the receiver is gone. */
async function hold(db: Database, registrarId: number, now: Date, condition: SQL | undefined) {
  const ofRegistrar = and(eq(webhooks.registrarId, registrarId), isNull(webhooks.goneAt));
  const isFree = and(ofRegistrar, isOver(webhooks.heldUntil, now), condition);
  const held = { heldUntil: holdFrom(now) };
  const [webhook] = await retry(() => db.update(webhooks).set(held).where(isFree).returning());
  if (webhook) return { webhook, current: undefined };
  const [current] = await retry(() => db.select().from(webhooks).where(ofRegistrar));
  return { webhook: undefined, current };
}

/** Posts, and records the attempt. Returns the webhook's new state; undefined if another caller has the webhook. */
async function attempt(
  db: Database,
  webhook: Webhook,
  { delivery, notification }: Waiting,
  sender: WebhookSender,
) {
  const answer = await post(webhook, delivery.id, payloadOf(delivery, notification), sender);
  const at = sender.now();
  const isTest = notification === null;
  const next = stateAfter(webhook, answer, at, { isTest });
  // Still held by this caller. A repeated batch finds the state that it wrote itself.
  const { heldUntil, queuedUntil } = webhooks;
  const isHeld = or(
    eq(heldUntil, webhook.heldUntil!),
    next.queuedUntil ? eq(queuedUntil, next.queuedUntil) : eq(heldUntil, next.heldUntil!),
  );
  const ofRegistrar = eq(webhooks.registrarId, webhook.registrarId);
  const [, { meta }] = await retry(() =>
    db.batch([
      recordAttempt(db, delivery, answer, at),
      db.update(webhooks).set(next).where(and(ofRegistrar, isHeld)),
    ]),
  );
  return meta.changes === 0 ? undefined : next;
}

/** Ends the hold, and begins the next turn if deliveries wait and no other has begun. */
async function release(
  db: Database,
  { registrarId, heldUntil }: Webhook,
  now: Date,
  values: Partial<Webhook>,
): Promise<Next | undefined> {
  const ofRegistrar = eq(webhooks.registrarId, registrarId);
  const isHeld = and(ofRegistrar, eq(webhooks.heldUntil, heldUntil!));
  const released = { heldUntil: null, ...values };
  const [, , [state]] = await retry(() =>
    db.batch([
      db.update(webhooks).set(released).where(isHeld),
      reservation(db, now, ofRegistrar),
      // In any case, because a repeated batch has already begun the turn.
      db.select().from(webhooks).where(ofRegistrar),
    ]),
  );
  const turn = turnFrom(now);
  return state?.queuedUntil === turn ? { at: new Date(state.resumesAt ?? now), turn } : undefined;
}

interface Waiting {
  delivery: Delivery;
  notification: Notification | null;
}

/** A test has no notification, and null comes first. */
function findWaiting(db: Database, registrarId: number, now: Date): Promise<Waiting[]> {
  const { notificationId, waitsSince } = webhookDeliveries;
  const isDue = or(isNotNull(notificationId), lte(waitsSince, now.toISOString()));
  return retry(() =>
    db
      .select({ delivery: webhookDeliveries, notification: notifications })
      .from(webhookDeliveries)
      .leftJoin(notifications, eq(notifications.id, notificationId))
      .where(and(eq(webhookDeliveries.registrarId, registrarId), isOpen, isDue))
      .orderBy(asc(notificationId))
      .limit(deliveriesPerTurn),
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
  const { read: _, type, ...data } = notificationRepresentation(notification);
  return JSON.stringify({ type, timestamp: createdAt, data });
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
      outcome: httpOutcome(status),
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
