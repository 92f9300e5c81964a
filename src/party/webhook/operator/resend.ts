import { and, eq, gte, isNotNull, not, or } from 'drizzle-orm';
import { webhookDeliveries, webhooks } from '../../../../drizzle/schema.ts';
import { retry } from '../../../base/database/retry.ts';
import { RegistryError } from '../../../base/error.ts';
import type { Operation } from '../../../change/origin.ts';
import { type Change, changeOf, write } from '../../../change/write.ts';
import { getWebhook } from '../../registrar/operator/webhook.ts';
import { checkNotGone, isOpen } from '../../registrar/webhook.ts';
import { noPause } from '../hold.ts';

/**
 * Makes a registrar's ended deliveries wait again, in their order and before later ones: the one with this id, or all
 * created or last attempted since an instant. Ends the webhook's pause after a failure. Returns their number. Throws `not_found` without a
 * webhook or such a delivery, and `update_prohibited` if the receiver is gone.
 */
export async function resendDeliveries(
  operation: Operation,
  code: string,
  selection: { id: string } | { since: Date },
): Promise<number> {
  const { db, origin } = operation;
  const { id, createdAt, attemptedAt, notificationId, waitsSince } = webhookDeliveries;
  const at = origin.request.at.toISOString();
  const since = 'since' in selection ? selection.since.toISOString() : '';
  const isSelected = (registrarId: number) =>
    and(
      eq(webhookDeliveries.registrarId, registrarId),
      'id' in selection ? eq(id, selection.id) : or(gte(createdAt, since), gte(attemptedAt, since)),
      // Tests have no notification and are not resent.
      isNotNull(notificationId),
    );
  const look = async () => {
    const webhook = await getWebhook(db, code);
    checkNotGone(webhook);
    const { registrarId } = webhook;
    const isToResend = and(isSelected(registrarId), not(isOpen));
    return { registrarId, isToResend, deliveries: await db.$count(webhookDeliveries, isToResend) };
  };
  const judge = ({ registrarId, isToResend, deliveries }: Awaited<ReturnType<typeof look>>) => {
    const to = 'id' in selection ? selection.id : `since ${selection.since.toISOString()}`;
    const changes = { webhookResent: { from: null, to } };
    const outcome = { registrarId, deliveries };
    const about = changeOf(operation, { type: 'registrar', key: code });
    const change = { ...about, action: 'update', changes, outcome } as const;
    if (deliveries === 0) {
      if ('since' in selection) return change;
      const message = `registrar ${code} has no delivery ${selection.id} that was delivered or given up`;
      throw new RegistryError('not_found', message, 'id');
    }
    const ended = {
      outcome: null,
      status: null,
      deliveredAt: null,
      failedAt: null,
      droppedAt: null,
    };
    const waitingState = { waitsSince: at, ...ended };
    return {
      ...change,
      statements: [
        db.update(webhookDeliveries).set(waitingState).where(and(isToResend, change.isWritten)),
        db
          .update(webhooks)
          .set(noPause)
          .where(and(eq(webhooks.registrarId, registrarId), change.isWritten)),
      ],
    } satisfies Change<typeof outcome>;
  };
  const { outcome } = await write(db, origin.request, { look, judge }, operation);
  const { registrarId, deliveries } = outcome;
  if (operation.isDryRun || deliveries === 0) return deliveries;
  // More deliveries may have ended since the look.
  const isResent = and(isSelected(registrarId), eq(waitsSince, at));
  return retry(() => db.$count(webhookDeliveries, isResent));
}
