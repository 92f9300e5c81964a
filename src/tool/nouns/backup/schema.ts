import { DatabaseSync } from 'node:sqlite';
import { RegistryError } from '../../../base/error.ts';
import { messageOf } from '../../../view/message.ts';
import { openFile } from '../../local/file.ts';
import { applyMigrations, listMigrations, restoreMarker } from '../../migrate.ts';

/**
 * Migrates the copy of a backup. Throws `malformed` for a backup of a later release, and for one whose tables, views, indexes and triggers are
 * then not this release's: a foreign trigger could change anything later.
 */
export async function migrateCopy(copy: string, name: string): Promise<void> {
  const refusal = (message: string) => new RegistryError('malformed', `${name} ${message}`, 'file');
  const { isMarked, views, migrations } = describe(copy);
  if (isMarked) throw refusal('is of a database whose restore was not finished');
  if (views.length > 0) throw refusal(differing(views));
  const later = migrations.filter((migration) => !listMigrations().includes(migration));
  if (later.length > 0) throw refusal(`is from a later release: it has ${namesIn(later)}`);
  const ofRelease = await objectsOf(':memory:');
  const ofCopy = await objectsOf(copy).catch((error) => {
    throw refusal(`cannot be migrated: ${messageOf(error)}`);
  });
  const others = [...new Set([...ofCopy.keys(), ...ofRelease.keys()])].filter(
    (object) => ofCopy.get(object) !== ofRelease.get(object),
  );
  if (others.length === 0) return;
  throw refusal(differing(others));
}

const differing = (objects: readonly string[]) =>
  `differs from a registry of this release in ${namesIn(objects)}`;

function namesIn(names: readonly string[]): string {
  const shown = names
    .slice(0, 5)
    .map((name) => JSON.stringify(name))
    .join(', ');
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
}

function describe(file: string) {
  using database = new DatabaseSync(file, { readOnly: true });
  const names = (from: string) =>
    Array.from(database.prepare(`select name from ${from}`).iterate(), ({ name }) => String(name));
  const tables = names("sqlite_schema where type = 'table'");
  const views = names("sqlite_schema where type = 'view'");
  // To read from a view is to run it.
  const isMigrated = views.length === 0 && tables.includes('d1_migrations');
  return {
    isMarked: tables.includes(restoreMarker),
    views: views.map((name) => `view ${name}`),
    migrations: isMigrated ? names('d1_migrations') : [],
  };
}

/** Objects of SQLite, D1 and wrangler. */
const isPlatforms = `type = 'table' and (name glob '_cf_*' or name in ('d1_migrations', 'sqlite_sequence', 'sqlite_stat1'))
  or type = 'index' and sql is null`;

/** Statements by kind and name. */
async function objectsOf(file: string): Promise<Map<string, string>> {
  using opened = new DisposableStack();
  const { database, close } = openFile(file, { isWritable: true });
  opened.defer(close);
  await applyMigrations(database);
  const { results } = await database
    .prepare(
      `select type || ' ' || name as object, sql from sqlite_schema where not (${isPlatforms})`,
    )
    .all<{ object: string; sql: string | null }>();
  // An export may use other spaces and quotation marks.
  return new Map(results.map(({ object, sql }) => [object, String(sql).replace(/[\s"`]+/g, ' ')]));
}
