import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { projectDirectory } from './project.ts';

const directory = path.join(projectDirectory, 'migrations');

/** The migrations that a database lacks, in order. */
export async function findMissingMigrations(db: D1Database): Promise<string[]> {
  const applied = new Set(await listApplied(db));
  return readdirSync(directory)
    .filter((name) => name.endsWith('.sql') && !applied.has(name))
    .sort();
}

async function listApplied(db: D1Database): Promise<string[]> {
  const table = "select 1 from sqlite_master where name = 'd1_migrations'";
  if (!(await db.prepare(table).first())) return [];
  const { results } = await db.prepare('select name from d1_migrations').all<{ name: string }>();
  return results.map(({ name }) => name);
}

/**
 * Applies the migrations that the database lacks, each in a transaction, and records them as `wrangler d1 migrations
 * apply` does, so that either may go on where the other stopped.
 */
export async function applyMigrations(db: D1Database): Promise<void> {
  const missing = await findMissingMigrations(db);
  for (const name of missing) {
    // Drizzle's mark between two statements.
    const statements = readFileSync(path.join(directory, name), 'utf8').split(
      '--> statement-breakpoint',
    );
    await db.batch([
      db.prepare(`create table if not exists d1_migrations (
        id integer primary key autoincrement,
        name text unique,
        applied_at timestamp default current_timestamp not null
      )`),
      ...statements.map((statement) => db.prepare(statement)),
      db.prepare('insert into d1_migrations (name) values (?)').bind(name),
    ]);
  }
}
