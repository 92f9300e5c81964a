import { and, eq, gt, gte, isNotNull, not } from 'drizzle-orm';
import { webhookDeliveries, webhooks } from '../../drizzle/schema.ts';
import type { Database } from '../database/open.ts';
import { RegistryError } from '../error.ts';
import { getWebhook } from '../registrar/account.ts';
import { type Change, type ChangeOptions, type Origin, write } from '../write.ts';
import { isOpen } from './outbox.ts';

/**
 * Makes a registrar's deliveries wait again, in their order and before later ones: the one with this id, or all since
 * an instant that were delivered or given up. A webhook that rests after a failure is tried again at once. Returns how
 * many. Throws `not_found` if the registrar has no webhook or no such delivery to send again.
 */
export async function resendDeliveries(
  db: Database,
  origin: Origin,
  code: string,
  which: { id: string } | { since: Date },
  options: ChangeOptions = {},
): Promise<number> {
  const { id, createdAt, notificationId } = webhookDeliveries;
  const look = async () => {
    const { registrarId } = await getWebhook(db, code);
    const isMeant = and(
      eq(webhookDeliveries.registrarId, registrarId),
      'id' in which ? eq(id, which.id) : gte(createdAt, which.since.toISOString()),
      isNotNull(notificationId),
      not(isOpen!),
    );
    return { registrarId, isMeant, deliveries: await db.$count(webhookDeliveries, isMeant) };
  };
  const judge = ({ registrarId, isMeant, deliveries }: Awaited<ReturnType<typeof look>>) => {
    const subject = { type: 'registrar', key: code } as const;
    const to = 'id' in which ? which.id : `since ${which.since.toISOString()}`;
    const changes = { webhookResent: { from: null, to } };
    const change = { by: origin.actor, subject, action: 'update', changes } as const;
    if (deliveries === 0) {
      if ('since' in which) return { ...change, outcome: 0 };
      const message = `registrar ${code} has no delivery ${which.id} that was delivered or given up`;
      throw new RegistryError('not_found', message, 'id');
    }
    const waiting = { deliveredAt: null, failedAt: null, outcome: null };
    const waitsSince = origin.request.at.toISOString();
    return {
      ...change,
      statements: (isWritten) => [
        db
          .update(webhookDeliveries)
          .set({ ...waiting, waitsSince })
          .where(and(isMeant, isWritten)),
        db
          .update(webhooks)
          .set({ queuedUntil: null, resumesAt: null })
          .where(and(eq(webhooks.registrarId, registrarId), gt(webhooks.failures, 0), isWritten)),
      ],
      outcome: deliveries,
    } satisfies Change<number>;
  };
  return (await write(db, origin.request, { look, judge }, options)).outcome;
}
