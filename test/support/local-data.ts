import type { Bindings } from '../../src/tool/bindings.ts';
import { openLocalData } from '../../src/tool/local/open.ts';
import { applyMigrations } from '../../src/tool/migrate.ts';

/** Creates every table in an empty directory of a local server (its `--persist-to`). */
export async function migrate(directory: string): Promise<void> {
  const { env, dispose } = await openLocalData(directory);
  try {
    await applyMigrations(env.DB);
  } finally {
    await dispose();
  }
}

/** Opens local data for requests, which open sessions of D1. Without replicas, one has nothing to remember. */
export async function openForRequests(directory: string): Promise<Bindings> {
  const { env, dispose } = await openLocalData(directory);
  const { prepare, batch } = env.DB;
  const withSession = () => ({ prepare, batch, getBookmark: () => null });
  return { env: { ...env, DB: { prepare, batch, withSession } as unknown as D1Database }, dispose };
}
