import { eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import { registrars, webhooks } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { RegistryError } from '../../base/error.ts';

/** The webhook's URL is null without a webhook. */
export function selectRegistrars(db: Database) {
  const { lostChangeAt: _, ...columns } = getTableColumns(registrars);
  return db
    .select({ ...columns, webhookUrl: webhooks.url, webhookFailingSince: webhooks.failingSince })
    .from(registrars)
    .leftJoin(webhooks, eq(webhooks.registrarId, registrars.id));
}

export type Registrar = Omit<Awaited<ReturnType<typeof selectRegistrars>>[number], 'id'>;

export async function getRegistrar(db: Database, code: string, field = 'registrar') {
  const [registrar] = await selectRegistrars(db).where(eq(registrars.code, code));
  if (registrar) return registrar;
  throw new RegistryError('not_found', `there is no registrar ${JSON.stringify(code)}`, field);
}

/** Returns the registrar's id, or 0, which no registrar has and a foreign key refuses. */
export function registrarIdOf(code: SQL): SQL<number> {
  return sql`ifnull((select id from registrars where code = ${code}), 0)`;
}
