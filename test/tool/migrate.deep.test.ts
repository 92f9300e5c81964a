import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestHarness, type TestHarness } from 'wrangler';
import { openLocalData } from '../../src/tool/local/open.ts';
import { applyMigrations, findMissingMigrations } from '../../src/tool/migrate.ts';

/** Wrangler applies the migrations here. */
let harness: TestHarness;
let migrated: D1Database;
beforeAll(async () => {
  harness = createTestHarness({ workers: [{ configPath: './wrangler.toml' }] });
  await harness.listen();
  await harness.getWorker().applyD1Migrations('DB');
  migrated = ((await harness.getWorker().getEnv()) as { DB: D1Database }).DB;
});
afterAll(() => harness.close());

/** Every statement of the schema, and the record of the migrations, whatever the spelling of the keywords. */
async function describe(db: D1Database) {
  const { results: schema } = await db
    .prepare(
      "select name, sql from sqlite_master where sql is not null and name not like '\\_cf\\_%' escape '\\' order by name",
    )
    .all<{ name: string; sql: string }>();
  const { results: applied } = await db.prepare('select id, name from d1_migrations').all();
  const { results: columns } = await db.prepare('pragma table_info(d1_migrations)').all();
  return {
    schema: schema
      .filter(({ name }) => name !== 'd1_migrations')
      .map(({ name, sql }) => ({ name, sql: sql.replace(/\s+/g, ' ') })),
    applied,
    columns: JSON.stringify(columns).toLowerCase(),
  };
}

it('migrates as wrangler does, and finds nothing to do where wrangler has migrated', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'migrate-'));
  const { env, dispose } = await openLocalData(directory);
  try {
    await applyMigrations(env.DB);
    expect(await describe(env.DB)).toEqual(await describe(migrated));
    expect(await findMissingMigrations(migrated)).toEqual([]);
  } finally {
    await dispose();
    rmSync(directory, { recursive: true });
  }
});
