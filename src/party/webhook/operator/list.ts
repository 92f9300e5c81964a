import { eq } from 'drizzle-orm';
import { registrars } from '../../../../drizzle/schema.ts';
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

export type ListedDelivery = Awaited<ReturnType<typeof listDeliveries>>[number];
