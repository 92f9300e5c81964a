import { and, count, eq, isNull, max } from 'drizzle-orm';
import { registrars, webhookDeliveries } from '../../../../drizzle/schema.ts';
import type { Database } from '../../../base/database/open.ts';
import { selectDeliveries } from '../list.ts';

/** Newest first. */
export async function listDeliveries(
  db: Database,
  { registrar, limit }: { registrar?: string | undefined; limit: number },
) {
  const rows = await selectDeliveries(db)
    .where(registrar === undefined ? undefined : eq(registrars.code, registrar))
    .limit(limit);
  return rows.map(({ delivery, ...others }) => ({ ...delivery, ...others }));
}

/** How many deliveries to the registrar's webhook wait, and what came of the last attempt at one of them. */
export async function readWaiting(db: Database, registrarId: number) {
  const { attemptedAt, deliveredAt, failedAt, outcome } = webhookDeliveries;
  const isOpen = and(isNull(deliveredAt), isNull(failedAt));
  const [row] = await db
    // SQLite takes the outcome from the row with the maximum.
    .select({ count: count(), attemptedAt: max(attemptedAt), outcome })
    .from(webhookDeliveries)
    .where(and(eq(webhookDeliveries.registrarId, registrarId), isOpen));
  return row!;
}

export type ListedDelivery = Awaited<ReturnType<typeof listDeliveries>>[number];
