import { asc, eq, getTableColumns, sql } from 'drizzle-orm';
import { apiUsers, registrars } from '../../../../drizzle/schema.ts';
import type { Database } from '../../../base/database/open.ts';
import { retry } from '../../../base/database/retry.ts';
import type { Operation } from '../../../change/origin.ts';
import { lacksCertificate } from '../../credential/operator/certificate.ts';
import { addHolder } from '../../credential/operator/holder.ts';
import { getRegistrar } from '../account.ts';

export function listApiUsers(db: Database, now: Date, registrarCode?: string) {
  const {
    secretDigest,
    passwordHash: _,
    previousSecretDigest: __,
    ...columns
  } = getTableColumns(apiUsers);
  // Users without a secret have a password from a former registry.
  const hasOldPassword = sql<boolean>`${secretDigest} is null`.mapWith(Boolean);
  return db
    .select({
      ...columns,
      registrarCode: registrars.code,
      hasOldPassword,
      lacksCertificate: lacksCertificate('api_user', now.toISOString()).mapWith(Boolean),
    })
    .from(apiUsers)
    .innerJoin(registrars, eq(registrars.id, apiUsers.registrarId))
    .where(registrarCode === undefined ? undefined : eq(registrars.code, registrarCode))
    .orderBy(asc(registrars.code), asc(apiUsers.username));
}

/** Adds an API user as `addHolder` does. Throws `not_found` for the registrar. */
export async function addApiUser(
  operation: Operation,
  { username, registrarCode, secret }: { username: string; registrarCode: string; secret?: string },
): Promise<string | undefined> {
  const { id: registrarId } = await retry(() => getRegistrar(operation.db, registrarCode));
  const user = { type: 'api_user', key: username } as const;
  const recorded = { username, registrarCode };
  return addHolder(operation, user, { registrarId }, { recorded, secret });
}
