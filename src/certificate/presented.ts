import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import { certificates } from '../../drizzle/schema.ts';
import type { Database } from '../database/open.ts';

/**
 * Which of the holder's bound certificates a login presents: its id the first time, and 0 later; null if it presents none
 * of them, or an expired one. Reads nothing for a login without a certificate, whose fingerprint is null.
 */
export const presentedCertificate = (isHolders: SQL, fingerprint: unknown, at: unknown) =>
  sql<number | null>`iif(${fingerprint} is null, null, (
    select iif(presented_at is null, id, 0) from ${certificates}
    where ${isHolders} and fingerprint = ${fingerprint} and ifnull(expires_at > ${at}, true)))`;

/** Records the first login with the certificate. One round trip. */
export async function recordPresented(db: Database, id: number, at: Date): Promise<void> {
  await db
    .update(certificates)
    .set({ presentedAt: at.toISOString() })
    .where(and(eq(certificates.id, id), isNull(certificates.presentedAt)));
}
