import { openLocalData } from '../../src/cli/local/open.ts';
import { applyMigrations } from '../../src/cli/migrate.ts';

/** Creates every table in an empty directory of a local server (its `--persist-to`). */
export async function migrate(directory: string): Promise<void> {
  const { env, dispose } = await openLocalData(directory);
  try {
    await applyMigrations(env.DB);
  } finally {
    await dispose();
  }
}
