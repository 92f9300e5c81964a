import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import { apiUsers, certificates } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { timeAfter } from '../../base/time/clock.ts';
import { type HolderType, holders } from './holder.ts';

/**
 * Whether the digest is of the holder's secret, or of the one before it while that works, or the hash is of the password
 * from a former registry.
 */
export function hasSecret(
  type: HolderType,
  { secretDigest, passwordHash, at }: Record<'secretDigest' | 'passwordHash' | 'at', unknown>,
): SQL {
  const { digest, previousDigest, replacedUntil } = holders[type];
  const lasts = sql`ifnull(${replacedUntil} > ${at}, true)`;
  const isPassword = sql`or ${apiUsers.passwordHash} = ${passwordHash} and ${lasts}`;
  return sql`(${digest} = ${secretDigest} or ${previousDigest} = ${secretDigest} and ${lasts}
    ${type === 'api_user' ? isPassword : sql``})`;
}

/** Whether the digest is of a secret that has replaced another and was not used before. */
export function isFirstUse(type: HolderType, digest: unknown): SQL<boolean> {
  const { digest: current, replacedSince, replacedUntil } = holders[type];
  return sql`(${current} = ${digest} and ${replacedSince} is not null and ${replacedUntil} is null)`;
}

/** When the old secret ends if the new one is first used at this time. */
export function endOfReplaced(firstUse: string): string {
  return timeAfter(new Date(firstUse), 24 * 60 * 60 * 1000);
}

/**
 * Which of the holder's bound certificates a login presents: its id the first time, and 0 later; null if it presents none
 * of them, or an expired one. Reads nothing for a login without a certificate, whose fingerprint is null.
 */
export function presentedCertificate(type: HolderType, fingerprint: unknown, at: unknown) {
  const { table, certificatesOf } = holders[type];
  return sql<number | null>`iif(${fingerprint} is null, null, (
    select iif(presented_at is null, id, 0) from ${certificates}
    where ${certificates[certificatesOf]} = ${table.id} and fingerprint = ${fingerprint}
      and ifnull(expires_at > ${at}, true)))`;
}

/** Records the first login with the certificate. One round trip. */
export async function recordPresented(db: Database, id: number, at: Date): Promise<void> {
  await db
    .update(certificates)
    .set({ presentedAt: at.toISOString() })
    .where(and(eq(certificates.id, id), isNull(certificates.presentedAt)));
}
