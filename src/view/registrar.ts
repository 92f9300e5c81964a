import type { Registrar } from '../party/registrar/account.ts';
import { dueTime } from '../party/webhook/list.ts';
import type { ListedDelivery } from '../party/webhook/operator/list.ts';
import { plain, type Shown } from './columns.ts';

export const registrarsView: Shown<Registrar> = {
  name: 'registrars',
  columns: {
    ...plain('code', 'name', 'phone', 'email', 'website', 'contactCount', 'suspendedAt'),
    allowed_ips: { of: 'allowedIps', cell: addressesText },
    ...plain('webhookUrl', 'webhookFailingSince', 'createdAt', 'updatedAt'),
  },
  table: 'code name contact_count suspended_at allowed_ips',
};

export function addressesText({ allowedIps }: Registrar): string {
  return allowedIps.join(', ') || 'every address';
}

export const deliveriesView: Shown<ListedDelivery> = {
  name: 'deliveries',
  columns: {
    ...plain('id', 'registrar', 'createdAt'),
    event: ({ event }) => event ?? 'webhook.test',
    subject: 'subjectKey',
    state: stateOf,
    ...plain('attempts', 'attemptedAt', 'outcome', 'deliveredAt', 'failedAt'),
    failing_since: failingSince,
    next_attempt_at: (delivery) => (isWaiting(delivery) ? nextAttempt(delivery) : null),
  },
  table: 'id registrar created_at event subject state outcome next_attempt_at',
};

const isWaiting = ({ deliveredAt, failedAt }: ListedDelivery) =>
  deliveredAt === null && failedAt === null;

/** Tests raise no failures, and wait by themselves. */
function failingSince(delivery: ListedDelivery): string | null {
  return isWaiting(delivery) && delivery.notificationId !== null ? delivery.failingSince : null;
}

function nextAttempt(delivery: ListedDelivery): string | null {
  if (delivery.goneAt !== null) return null;
  const { resumesAt, retryAfter } = delivery;
  return dueTime({ delivery, resumesAt, retryAfter });
}

function stateOf({ deliveredAt, failedAt, droppedAt }: ListedDelivery): string {
  if (deliveredAt !== null) return 'delivered';
  if (failedAt === null) return 'waiting';
  return droppedAt === null ? 'given up' : 'dropped';
}
