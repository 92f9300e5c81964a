import type { Registrar } from '../party/registrar/account.ts';
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
    next_attempt_at: (delivery) => failingSince(delivery) && delivery.resumesAt,
  },
  table: 'id registrar created_at event subject state outcome next_attempt_at',
};

function failingSince({ deliveredAt, failedAt, failingSince }: ListedDelivery): string | null {
  return deliveredAt === null && failedAt === null ? failingSince : null;
}

function stateOf({ deliveredAt, failedAt }: ListedDelivery): string {
  if (deliveredAt !== null) return 'delivered';
  return failedAt === null ? 'waiting' : 'given up';
}
