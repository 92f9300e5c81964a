import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { RegistryError } from '../base/error.ts';
import { projectDirectory } from './project.ts';

const directory = path.join(projectDirectory, 'migrations');

/** The table that exists during an unfinished restore. */
export const restoreMarker = 'restore_unfinished';

export function unfinishedRestore(command: string): string {
  return `a restore of this database was not finished, and nothing can use it; restore again: ${command}`;
}

/** Returns them in order. Throws `invalid` after an unfinished restore. */
export async function findMissingMigrations(db: D1Database): Promise<string[]> {
  const applied = new Set(await listApplied(db));
  return listMigrations().filter((name) => !applied.has(name));
}

export function listMigrations(): string[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.sql'))
    .sort();
}

async function listApplied(db: D1Database): Promise<string[]> {
  const { results: tables } = await db
    .prepare(`select name from sqlite_schema where name in ('${restoreMarker}', 'd1_migrations')`)
    .all<{ name: string }>();
  if (tables.some(({ name }) => name === restoreMarker)) {
    const command = await db
      .prepare(`select command from ${restoreMarker}`)
      .first<string>('command');
    throw new RegistryError('invalid', unfinishedRestore(command!));
  }
  if (tables.length === 0) return [];
  const { results } = await db.prepare('select name from d1_migrations').all<{ name: string }>();
  return results.map(({ name }) => name);
}

/**
 * Applies each in a transaction, and records them as `wrangler d1 migrations apply` does, so that
 * either can continue the other's work.
 */
export async function applyMigrations(db: D1Database): Promise<void> {
  const missing = await findMissingMigrations(db);
  for (const name of missing) {
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
