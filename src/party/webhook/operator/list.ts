import { desc, eq } from 'drizzle-orm';
import {
  notifications,
  registrars,
  webhookDeliveries,
  webhooks,
} from '../../../../drizzle/schema.ts';
import type { Database } from '../../../base/database/open.ts';

/** Newest first. */
export async function listDeliveries(
  db: Database,
  { registrar, limit }: { registrar?: string | undefined; limit: number },
) {
  const rows = await db
    .select({
      delivery: webhookDeliveries,
      registrar: registrars.code,
      event: notifications.event,
      subjectKey: notifications.subjectKey,
      failingSince: webhooks.failingSince,
      resumesAt: webhooks.resumesAt,
    })
    .from(webhookDeliveries)
    .innerJoin(registrars, eq(registrars.id, webhookDeliveries.registrarId))
    .leftJoin(notifications, eq(notifications.id, webhookDeliveries.notificationId))
    .leftJoin(webhooks, eq(webhooks.registrarId, webhookDeliveries.registrarId))
    .where(registrar === undefined ? undefined : eq(registrars.code, registrar))
    .orderBy(desc(webhookDeliveries.createdAt))
    .limit(limit);
  return rows.map(({ delivery, ...others }) => ({ ...delivery, ...others }));
}

export type ListedDelivery = Awaited<ReturnType<typeof listDeliveries>>[number];
