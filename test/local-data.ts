import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { getPlatformProxy, unstable_splitSqlQuery } from 'wrangler';
import type { Env } from '../src/env.ts';

/** The bindings on the data that a local server keeps in a directory (its `--persist-to`), until they are disposed of. */
export function openLocalData(directory: string) {
  return getPlatformProxy<Env>({
    configPath: 'wrangler.toml',
    persist: { path: path.join(directory, 'v3') },
    remoteBindings: false,
  });
}

/** Creates every table in an empty directory, and records the migrations as `wrangler d1 migrations apply` does. */
export async function migrate(directory: string): Promise<void> {
  const { env, dispose } = await openLocalData(directory);
  try {
    await applyMigrations(env.DB);
  } finally {
    await dispose();
  }
}

/** The same in the database of a runtime that is open. */
export async function applyMigrations(db: D1Database): Promise<void> {
  const create = `create table d1_migrations (id integer primary key autoincrement, name text unique,
    applied_at timestamp default current_timestamp not null)`;
  await db.prepare(create).run();
  const names = (await readdir('migrations')).filter((name) => name.endsWith('.sql')).sort();
  for (const name of names) {
    const statements = unstable_splitSqlQuery(await readFile(`migrations/${name}`, 'utf8'));
    await db.batch([
      ...statements.map((statement) => db.prepare(statement)),
      db.prepare('insert into d1_migrations (name) values (?)').bind(name),
    ]);
  }
}
