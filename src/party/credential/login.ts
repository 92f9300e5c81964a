import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import { apiUsers, certificates } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { timeAfter } from '../../base/time/clock.ts';
import { type HolderType, holders } from './holder.ts';

/** Matches the holder's secret, the replaced one while it works, or a password from a former registry. */
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

/** Matches the first use of a secret that replaced another. */
export function isFirstUse(type: HolderType, digest: unknown): SQL<boolean> {
  const { digest: current, replacedSince, replacedUntil } = holders[type];
  return sql`(${current} = ${digest} and ${replacedSince} is not null and ${replacedUntil} is null)`;
}

/** Returns the end of the old secret after this first use of the new one. */
export function endOfReplaced(firstUse: string): string {
  return timeAfter(new Date(firstUse), 24 * 60 * 60 * 1000);
}

/**
 * Selects the presented certificate if bound and unexpired: its id the first time, 0 later, otherwise null. Reads
 * nothing for a null fingerprint, a login without a certificate.
 */
export function presentedCertificate(type: HolderType, fingerprint: unknown, at: unknown) {
  const { table, certificatesOf } = holders[type];
  return sql<number | null>`iif(${fingerprint} is null, null, (
    select iif(presented_at is null, id, 0) from ${certificates}
    where ${certificates[certificatesOf]} = ${table.id} and fingerprint = ${fingerprint}
      and ${isUnexpired(at)}))`;
}

export const isUnexpired = (at: unknown) => sql`ifnull(${certificates.expiresAt} > ${at}, true)`;

/** Records the first login with the certificate. One round trip. */
export async function recordPresented(db: Database, id: number, at: Date): Promise<void> {
  await db
    .update(certificates)
    .set({ presentedAt: at.toISOString() })
    .where(and(eq(certificates.id, id), isNull(certificates.presentedAt)));
}
