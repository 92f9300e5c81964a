import { and, eq, lte, sql } from 'drizzle-orm';
import { apiUsers, systems } from '../../drizzle/schema.ts';
import type { Database } from '../database/open.ts';
import { RegistryError } from '../error.ts';
import { type Changes, difference } from '../history/changes.ts';
import { type Change, type ChangeOptions, type Origin, write } from '../write.ts';

interface Accounts {
  api_user: typeof apiUsers.$inferSelect;
  system: typeof systems.$inferSelect;
}
type HolderType = keyof Accounts;

/** An API user, by its username, or a system, by its name: whoever holds a secret, and certificates are bound to. */
export interface Holder<Type extends HolderType = HolderType> {
  type: Type;
  key: string;
}

export const holders = {
  api_user: {
    table: apiUsers,
    key: apiUsers.username,
    field: 'apiUserId',
    one: 'API user',
    digest: apiUsers.secretDigest,
    replacedUntil: apiUsers.previousSecretValidUntil,
  },
  system: {
    table: systems,
    key: systems.name,
    field: 'systemId',
    one: 'system',
    digest: systems.keyDigest,
    replacedUntil: systems.previousKeyValidUntil,
  },
} as const;

export function holderText({ type, key }: Holder): string {
  return `${holders[type].one} ${key}`;
}

export function unknownHolder({ type, key }: Holder, field: string): RegistryError {
  const message = `there is no ${holders[type].one} ${JSON.stringify(key)}`;
  return new RegistryError('not_found', message, field);
}

/** Gives the holder other values, if nobody else has meanwhile; returns the changed fields. Throws `not_found`. */
export async function updateHolder<Type extends HolderType>(
  db: Database,
  origin: Origin,
  holder: Holder<Type>,
  options: ChangeOptions,
  valuesFor: (account: Accounts[Type]) => Partial<Accounts[Type]>,
): Promise<Changes> {
  const { table, key, digest, replacedUntil } = holders[holder.type];
  const look = () =>
    db.select({ account: table, digest, replacedUntil }).from(table).where(eq(key, holder.key));
  const judge = ([seen]: Awaited<ReturnType<typeof look>>): Change<Changes> => {
    if (!seen) throw unknownHolder(holder, holder.type === 'system' ? 'name' : 'username');
    const { id, updatedAt } = seen.account;
    const values = valuesFor(seen.account as Accounts[Type]);
    const changes = difference(seen.account, values);
    const update = { by: origin.actor, subject: holder, action: 'update', changes } as const;
    if (Object.keys(changes).length === 0) return { ...update, outcome: changes };
    const row = { ...values, updatedAt: origin.request.at.toISOString() };
    return {
      ...update,
      onlyIf: sql`exists (select 1 from ${table} where id = ${id} and updated_at = ${updatedAt}
        and ${digest} is ${seen.digest} and ${replacedUntil} is ${seen.replacedUntil})`,
      statements: (isWritten) => [
        db
          .update(table)
          .set(row)
          .where(and(eq(table.id, id), isWritten)),
      ],
      outcome: changes,
    };
  };
  return (await write(db, origin.request, { look, judge }, options)).outcome;
}

/** Disables or re-enables the holder, effective from the next request. Returns the changed fields. Throws `not_found`. */
export function setHolderDisabled(
  db: Database,
  origin: Origin,
  holder: Holder,
  isDisabled: boolean,
  options: ChangeOptions = {},
): Promise<Changes> {
  const at = origin.request.at.toISOString();
  return updateHolder(db, origin, holder, options, ({ disabledAt }) =>
    (disabledAt !== null) === isDisabled ? {} : { disabledAt: isDisabled ? at : null },
  );
}

/** Deletes the replaced secrets, passwords and keys that have ended. */
export async function forgetReplaced(db: Database, now: Date): Promise<void> {
  const at = now.toISOString();
  await db.batch([
    db
      .update(apiUsers)
      .set({
        passwordHash: null,
        previousSecretDigest: null,
        previousSecretChangedAt: null,
        previousSecretValidUntil: null,
      })
      .where(lte(apiUsers.previousSecretValidUntil, at)),
    db
      .update(systems)
      .set({ previousKeyDigest: null, previousKeyValidUntil: null })
      .where(lte(systems.previousKeyValidUntil, at)),
  ]);
}
