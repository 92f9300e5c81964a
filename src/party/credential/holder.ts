import { getTableColumns, lte, type SQL, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { apiUsers, systems } from '../../../drizzle/schema.ts';
import { randomHex, sha256Hex } from '../../base/bytes/digest.ts';
import type { Database } from '../../base/database/open.ts';

export interface Accounts {
  api_user: typeof apiUsers.$inferSelect;
  system: typeof systems.$inferSelect;
}
export type HolderType = keyof Accounts;

export interface Holder<Type extends HolderType = HolderType> {
  type: Type;
  key: string;
}

/**
 * Checks for a secret that was never used since it replaced another. The first use limits the old secret's time. The
 * new one may be lost, so a further secret leaves the old one working.
 */
function isUnused(replacedSince: string | null, replacedUntil: string | null): boolean {
  return replacedSince !== null && replacedUntil === null;
}

/**
 * The columns of holders in the two tables. `fields` are the secret's digest and its time. `replaced` returns the
 * values by which a new secret keeps the old one working.
 */
export const holders = {
  api_user: {
    table: apiUsers,
    key: apiUsers.username,
    /** Usable in Basic authentication (RFC 7617), where a colon ends the username, and easy to type. */
    pattern: /^[A-Za-z0-9._@+-]{1,64}$/,
    rule: 'a username: use 1 to 64 of A-Z, a-z, 0-9 and ._@+-',
    label: 'API user',
    withArticle: 'an API user',
    secret: 'secret',
    field: 'username',
    option: 'user',
    certificatesOf: 'apiUserId',
    fields: ['secretDigest', 'secretChangedAt'],
    digest: apiUsers.secretDigest,
    previousDigest: apiUsers.previousSecretDigest,
    /** A password from a former registry has a time but no digest. */
    replacedSince: apiUsers.previousSecretChangedAt,
    replacedUntil: apiUsers.previousSecretValidUntil,
    replaced: (user: Accounts['api_user']) =>
      !isUnused(user.previousSecretChangedAt, user.previousSecretValidUntil) && {
        passwordHash: user.secretDigest === null ? user.passwordHash : null,
        previousSecretDigest: user.secretDigest,
        previousSecretChangedAt: user.secretChangedAt,
        previousSecretValidUntil: null,
      },
    nothingReplaced: {
      passwordHash: null,
      previousSecretDigest: null,
      previousSecretChangedAt: null,
      previousSecretValidUntil: null,
    },
  },
  system: {
    table: systems,
    key: systems.name,
    /** Easy to type, and unmistakable in `System: epp`. */
    pattern: /^[a-z0-9][a-z0-9._-]{0,63}$/,
    rule: 'a name: use 1 to 64 of a-z, 0-9 and ._-, a letter or digit first',
    label: 'system',
    withArticle: 'a system',
    secret: 'key',
    field: 'name',
    option: 'system',
    certificatesOf: 'systemId',
    fields: ['keyDigest', 'keyChangedAt'],
    digest: systems.keyDigest,
    previousDigest: systems.previousKeyDigest,
    replacedSince: systems.previousKeyDigest,
    replacedUntil: systems.previousKeyValidUntil,
    replaced: (system: Accounts['system']) =>
      !isUnused(system.previousKeyDigest, system.previousKeyValidUntil) && {
        previousKeyDigest: system.keyDigest,
        previousKeyValidUntil: null,
      },
    nothingReplaced: { previousKeyDigest: null, previousKeyValidUntil: null },
  },
} as const;

/**
 * Checks for an unchanged row, except JSON, whose text has several forms; a change of JSON also changes `updatedAt`.
 */
export function isAsSeen(table: SQLiteTable, row: Record<string, unknown>): SQL {
  const same = Object.entries(getTableColumns(table))
    .filter(([field, { dataType }]) => field in row && dataType !== 'json')
    .map(([field, column]) => sql`${column} is ${sql.param(row[field], column)}`);
  return sql`exists (select 1 from ${table} where ${sql.join(same, sql` and `)})`;
}

export async function deleteEndedSecrets(db: Database, now: Date): Promise<void> {
  const deletion = (type: HolderType) => {
    const { table, nothingReplaced, replacedUntil } = holders[type];
    const isOver = lte(replacedUntil, now.toISOString());
    return db.update<SQLiteTable>(table).set(nothingReplaced).where(isOver);
  };
  await db.batch([deletion('api_user'), deletion('system')]);
}

/** Returns 256 random bits as 64 hexadecimal digits. */
export function generateSecret(): string {
  return randomHex(32);
}

/**
 * Returns the SHA-256 of a secret, the only stored form. A fast hash is enough: secrets have at least 160 random bits,
 * so neither a dictionary nor guessing finds one.
 */
export function digestSecret(secret: string): Promise<string> {
  return sha256Hex(secret);
}
