import { and, eq, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { certificates } from '../../../../drizzle/schema.ts';
import { RegistryError } from '../../../base/error.ts';
import { type Action, type Changes, difference } from '../../../change/history/changes.ts';
import type { Operation } from '../../../change/origin.ts';
import { type Change, changeOf, write } from '../../../change/write.ts';
import {
  type Accounts,
  digestSecret,
  generateSecret,
  type Holder,
  type HolderType,
  holders,
  isAsSeen,
} from '../holder.ts';

export function holderText({ type, key }: Holder): string {
  return `${holders[type].label} ${key}`;
}

/**
 * A holder as read, with all its certificates (`bound`) and the unexpired ones (`valid`). Consequences of its change
 * must write only where `isWritten` holds.
 */
export interface HolderState<Type extends HolderType = HolderType>
  extends Pick<Change<never>, 'isWritten'> {
  account: Accounts[Type];
  bound: (typeof certificates.$inferSelect)[];
  valid: (typeof certificates.$inferSelect)[];
}

interface HolderChange<Type extends HolderType, Also> {
  action?: Action;
  values?: Partial<Accounts[Type]>;
  /** The changes for the history if they differ from the values. */
  changes?: Changes;
  consequences?: readonly BatchItem<'sqlite'>[];
  also?: Also;
}

/**
 * Changes a holder, unless somebody else did meanwhile. Returns the changed fields and `also`. Throws `not_found` for
 * the field.
 */
export async function changeHolder<Type extends HolderType, Also>(
  operation: Operation,
  holder: Holder<Type>,
  judgeHolder: (state: HolderState<Type>) => HolderChange<Type, Also>,
  field: string = holders[holder.type].field,
): Promise<{ changes: Changes } & Also> {
  const { db, origin } = operation;
  const { table, key, certificatesOf, label } = holders[holder.type];
  const at = origin.request.at.toISOString();
  const isNamed = eq(key, holder.key);
  const isBound = sql`${certificates[certificatesOf]} = (select id from ${table} where ${isNamed})`;
  const look = () =>
    db.batch([
      db.select().from(table).where(isNamed),
      db.select().from(certificates).where(isBound),
    ]);
  type Result = { changes: Changes } & Also;
  const judge = ([[row], bound]: Awaited<ReturnType<typeof look>>): Change<Result> => {
    if (!row) {
      const message = `there is no ${label} ${JSON.stringify(holder.key)}`;
      throw new RegistryError('not_found', message, field);
    }
    const account = row as Accounts[Type];
    const valid = bound.filter(({ expiresAt }) => expiresAt === null || expiresAt > at);
    const about = changeOf(operation, holder);
    const { isWritten } = about;
    const change = judgeHolder({ account, bound, valid, isWritten });
    const { action = 'update', values = {}, changes = difference(account, values) } = change;
    const outcome = { changes, ...change.also } as Result;
    const base = { ...about, action, changes, outcome };
    if (Object.keys(changes).length === 0) return base;
    const updated = { ...values, updatedAt: at };
    return {
      ...base,
      onlyIf: isAsSeen(table, account),
      statements: [
        db
          .update(table)
          .set(updated)
          .where(and(eq(table.id, account.id), isWritten)),
        ...(change.consequences ?? []),
      ],
    };
  };
  return (await write(db, origin.request, { look, judge }, operation)).outcome;
}

/**
 * Adds a holder and returns its secret, by default a new one; a dry run returns none. The history gets `recorded`
 * instead of the values. Throws `invalid`, `taken`.
 */
export async function addHolder(
  operation: Operation,
  { type, key: name }: Holder,
  values: Record<string, unknown>,
  { recorded = values, secret = generateSecret() },
): Promise<string | undefined> {
  const { db, origin, isDryRun } = operation;
  const { table, key, field, pattern, rule, withArticle, fields } = holders[type];
  const [digestField, changedField] = fields;
  if (!pattern.test(name)) {
    throw new RegistryError('invalid', `${JSON.stringify(name)} is not ${rule}`, field);
  }
  const digest = { [digestField]: await digestSecret(secret) };
  const at = origin.request.at.toISOString();
  const times = { [changedField]: at, createdAt: at, updatedAt: at };
  const row = { ...values, ...digest, ...times, [field]: name };
  const look = () => db.$count(table, eq(key, name));
  const judge = (same: number): Change<void> => {
    if (same > 0)
      throw new RegistryError('taken', `there is already ${withArticle} ${name}`, field);
    return {
      ...changeOf(operation, { type, key: name }),
      action: 'create',
      changes: difference({}, { ...recorded, ...digest }),
      statements: [db.insert(table as SQLiteTable).values(row)],
      outcome: undefined,
    };
  };
  await write(db, origin.request, { look, judge }, operation);
  return isDryRun ? undefined : secret;
}

/**
 * Gives the holder a new secret and returns it; a dry run returns none. The old one ends at once, or a day after the
 * first use of the new one. Throws `not_found`.
 */
export async function rotateHolder(
  operation: Operation,
  holder: Holder,
  { atOnce }: { atOnce: boolean },
): Promise<string | undefined> {
  const secret = generateSecret();
  const at = operation.origin.request.at.toISOString();
  const { fields, replaced, nothingReplaced } = holders[holder.type];
  const [digestField, changedField] = fields;
  const current = { [digestField]: await digestSecret(secret), [changedField]: at };
  const replacedOf = replaced as (account: object) => object | false;
  await changeHolder(operation, holder, ({ account }) => ({
    values: { ...current, ...(atOnce ? nothingReplaced : replacedOf(account)) },
  }));
  return operation.isDryRun ? undefined : secret;
}

export async function setHolderDisabled(
  operation: Operation,
  holder: Holder,
  isDisabled: boolean,
): Promise<Changes> {
  const disabledAt = isDisabled ? operation.origin.request.at.toISOString() : null;
  const { changes } = await changeHolder(operation, holder, ({ account }) => ({
    values: (account.disabledAt === null) === isDisabled ? { disabledAt } : {},
  }));
  return changes;
}
