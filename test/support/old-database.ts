import { globSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** A database as it was before a migration, with the registrars ALPHA and BETA; `migrate` applies that one and all later ones. */
export function databaseBefore(migration: string) {
  const migrations = globSync('migrations/*.sql').sort();
  const added = migrations.findIndex((name) => name.includes(migration));
  const database = new DatabaseSync(':memory:');
  const apply = (names: readonly string[]) => {
    for (const name of names) database.exec(readFileSync(name, 'utf8'));
  };
  apply(migrations.slice(0, added));
  database.exec(`
    insert into registrars (id, code, name, created_at, updated_at)
    values (1, 'ALPHA', 'Alpha', '', ''), (2, 'BETA', 'Beta', '', '')`);
  return { database, migrate: () => apply(migrations.slice(added)) };
}
