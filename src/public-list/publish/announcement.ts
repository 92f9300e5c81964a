import { eq } from 'drizzle-orm';
import { listLeftovers } from '../../../drizzle/schema.ts';
import type { Database } from '../../database/open.ts';
import { retried } from '../../database/retry.ts';
import type { ListName } from '../lists.ts';

/** Records that a publication has begun, before its first put, so that its keys are swept if it is killed. */
export async function announcePublication(
  db: Database,
  list: ListName,
  publication: string,
  now: Date,
): Promise<void> {
  await retried(() =>
    db
      .insert(listLeftovers)
      .values({ publication, list, keys: null, since: now.toISOString() })
      .onConflictDoNothing(),
  );
}

/** Whether the database knows the publication. It does for a week, but not if it was restored to an earlier state. */
export async function isKnownPublication(db: Database, publication: string): Promise<boolean> {
  const isThis = eq(listLeftovers.publication, publication);
  return (await retried(() => db.$count(listLeftovers, isThis))) > 0;
}
