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
 * Whether nobody has used the present secret since it replaced another: only its first use sets until when the other
 * works. It may be lost, so a further secret leaves the other working.
 */
function isUnused(replacedSince: string | null, replacedUntil: string | null): boolean {
  return replacedSince !== null && replacedUntil === null;
}

/**
 * Where the two tables keep what holders have in common. `fields` are those of the secret's digest and its time;
 * `replaced` gives the values of what a new secret replaces, while that goes on working.
 */
export const holders = {
  api_user: {
    table: apiUsers,
    key: apiUsers.username,
    /** Usable in Basic authentication (RFC 7617), where a colon ends the username, and easy to type. */
    pattern: /^[A-Za-z0-9._@+-]{1,64}$/,
    rule: 'a username: use 1 to 64 of A-Z, a-z, 0-9 and ._@+-',
    one: 'API user',
    withArticle: 'an API user',
    secret: 'secret',
    field: 'username',
    option: 'user',
    certificatesOf: 'apiUserId',
    fields: ['secretDigest', 'secretChangedAt'],
    digest: apiUsers.secretDigest,
    previousDigest: apiUsers.previousSecretDigest,
    /** A password from a former registry has no digest, but a time. */
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
    one: 'system',
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

/** Whether the row is as it was seen, but for JSON, which can be written in several ways: `updatedAt` tells of that. */
export function isAsSeen(table: SQLiteTable, seen: Record<string, unknown>): SQL {
  const same = Object.entries(getTableColumns(table))
    .filter(([field, { dataType }]) => field in seen && dataType !== 'json')
    .map(([field, column]) => sql`${column} is ${sql.param(seen[field], column)}`);
  return sql`exists (select 1 from ${table} where ${sql.join(same, sql` and `)})`;
}

/** Deletes the replaced secrets, passwords and keys that have ended. */
export async function forgetReplaced(db: Database, now: Date): Promise<void> {
  const forget = (type: HolderType) => {
    const { table, nothingReplaced, replacedUntil } = holders[type];
    const isOver = lte(replacedUntil, now.toISOString());
    return db.update<SQLiteTable>(table).set(nothingReplaced).where(isOver);
  };
  await db.batch([forget('api_user'), forget('system')]);
}

/** A new secret: 256 random bits, 64 hexadecimal digits. */
export function generateSecret(): string {
  return randomHex(32);
}

/**
 * The SHA-256 of a secret, which is all that is stored of it. A fast hash is enough because secrets are generated with
 * at least 160 random bits, so neither a dictionary nor guessing leads from a digest to its secret.
 */
export function digestSecret(secret: string): Promise<string> {
  return sha256Hex(secret);
}
