import { desc, eq, sql } from 'drizzle-orm';
import { notifications, registrars, webhookDeliveries, webhooks } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { type Login, readWithLogin } from '../registrar/login.ts';
import { goneProblem } from '../registrar/webhook.ts';

/** The type of a test, which has no notification. */
export const testEvent = 'webhook.test';

export const httpOutcome = (status: number) => `HTTP ${status}`;

/** Newest first. */
export function selectDeliveries(db: Database) {
  return db
    .select({
      delivery: webhookDeliveries,
      registrar: registrars.code,
      event: notifications.event,
      subjectKey: notifications.subjectKey,
      failingSince: webhooks.failingSince,
      resumesAt: webhooks.resumesAt,
      retryAfter: webhooks.retryAfter,
      goneAt: webhooks.goneAt,
    })
    .from(webhookDeliveries)
    .innerJoin(registrars, eq(registrars.id, webhookDeliveries.registrarId))
    .leftJoin(notifications, eq(notifications.id, webhookDeliveries.notificationId))
    .leftJoin(webhooks, eq(webhooks.registrarId, webhookDeliveries.registrarId))
    .orderBy(desc(webhookDeliveries.createdAt), desc(sql`${webhookDeliveries}.rowid`));
}

type SelectedDelivery = Awaited<ReturnType<typeof selectDeliveries>>[number];

/** One round trip. */
export async function listOwnDeliveries(
  db: Database,
  login: Login,
  limit: number,
): Promise<SelectedDelivery[]> {
  const [, deliveries] = await readWithLogin(db, login, (registrarId) => [
    selectDeliveries(db).where(eq(webhookDeliveries.registrarId, registrarId)).limit(limit),
  ]);
  return deliveries;
}

export function deliveryRepresentation(selected: SelectedDelivery, now: Date) {
  const { delivery, event, goneAt } = selected;
  const { id, createdAt, attempts, attemptedAt, status, outcome, deliveredAt, failedAt } = delivery;
  const isWaiting = deliveredAt === null && failedAt === null;
  const isGone = isWaiting && goneAt !== null;
  const isAnswered = status !== null && outcome === httpOutcome(status);
  const problem = deliveredAt !== null || isAnswered ? null : outcome;
  const at = now.toISOString();
  const dueAt = dueTime(selected);
  return {
    id,
    type: event ?? testEvent,
    created_at: createdAt,
    attempts,
    last_attempt_at: attemptedAt,
    status,
    problem: isGone ? goneProblem : problem,
    next_attempt_at: isWaiting && !isGone ? (dueAt !== null && dueAt > at ? dueAt : at) : null,
  };
}

/** When a waiting delivery may be sent; null if at once. A test does not pause with the others. */
export function dueTime({
  delivery: { notificationId, waitsSince },
  resumesAt,
  retryAfter,
}: Pick<SelectedDelivery, 'resumesAt' | 'retryAfter'> & {
  delivery: Pick<SelectedDelivery['delivery'], 'notificationId' | 'waitsSince'>;
}): string | null {
  if (notificationId !== null) return resumesAt;
  return retryAfter !== null && retryAfter > waitsSince ? retryAfter : waitsSince;
}
