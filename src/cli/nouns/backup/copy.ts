import { DatabaseSync } from 'node:sqlite';
import { chunkedJson } from '../../../database/json-rows.ts';
import { RegistryError } from '../../../error.ts';
import { restoreMarker } from '../../migrate.ts';
import { startProgress } from '../../report/progress.ts';
import { parentsFirst, selectTables, type TableReference, tablesOf } from './contents.ts';

/** The rows of each table; none if an unfinished restore has left them. */
export async function rowsToLose(db: D1Database): Promise<Map<string, number>> {
  const tables = await tablesIn(db);
  if (tables.length === 0 || tables.includes(restoreMarker)) return new Map();
  const counts = await db.batch<{ count: number }>(
    tables.map((table) => db.prepare(`select count(*) as count from "${table}"`)),
  );
  const rows = tables.map((table, n) => [table, counts[n]!.results[0]!.count] as const);
  return new Map(rows.filter(([table]) => table !== 'd1_migrations'));
}

async function tablesIn(db: D1Database): Promise<string[]> {
  const { results } = await db.prepare(selectTables).all<TableReference>();
  return parentsFirst(results);
}

/**
 * Empties the database and leaves a mark that makes every command refuse it and name `command`. All of this happens, or
 * nothing. Throws `changed_meanwhile` if a table no longer has as many rows as were confirmed.
 */
export async function makeEmpty(
  db: D1Database,
  { command, confirmed }: { command: string; confirmed: ReadonlyMap<string, number> | undefined },
): Promise<void> {
  const tables = await tablesIn(db);
  const conditions = [...(confirmed ?? [])].map(
    ([table, count]) => `(select count(*) from "${table}") = ${count}`,
  );
  try {
    await db.batch([
      db.prepare(`drop table if exists ${restoreMarker}`),
      db.prepare(`create table ${restoreMarker} (command text, is_confirmed integer,
        constraint as_confirmed check (is_confirmed))`),
      db
        .prepare(`insert into ${restoreMarker} values (?, ${conditions.join(' and ') || 'true'})`)
        .bind(command),
      ...tables
        .filter((table) => table !== restoreMarker)
        // Otherwise SQLite would delete a table's rows one by one, because others refer to them.
        .reverse()
        .map((table) => db.prepare(`drop table "${table}"`)),
    ]);
  } catch (error) {
    if (!(error as Error).message.includes('as_confirmed')) throw error;
    const message = 'the database has changed since you were asked; nothing was removed';
    throw new RegistryError('changed_meanwhile', message);
  }
}

/** Without these tables no list is published, no API user or system gets in and no command works. */
const lastTables = ['list_publications', 'api_users', 'systems', 'certificates', 'd1_migrations'];

/** Copies a backup into a database that `makeEmpty` has emptied. The last statement removes the mark. */
export async function copyInto(db: D1Database, file: string, rows: number): Promise<void> {
  using backup = new DatabaseSync(file, { readOnly: true });
  using progress = startProgress('restoring', rows);
  const all = tablesOf(backup);
  const tables = all.filter((table) => !lastTables.includes(table));
  // The backup of an earlier release has fewer tables.
  const withheld = lastTables.filter((table) => all.includes(table));
  for (const table of tables) {
    await db.prepare(creationOf(backup, 'table', table)[0]!).run();
    for (const [statement, count] of insertions(db, backup, table)) {
      await statement.run();
      progress.advance(count);
    }
  }
  // These are prepared before the slow ones: the local runtime closes a prepared statement's connection after seconds
  // of silence.
  const indexes = tables.flatMap((table) => creationOf(backup, 'index', table));
  const slow = indexes.map((sql) => db.prepare(sql));
  const last = [
    ...withheld.flatMap((table) => [
      ...creationOf(backup, 'table', table).map((sql) => db.prepare(sql)),
      ...[...insertions(db, backup, table)].map(([statement]) => statement),
      ...creationOf(backup, 'index', table).map((sql) => db.prepare(sql)),
    ]),
    ...creationOf(backup, 'trigger').map((sql) => db.prepare(sql)),
    ...counters(db, backup),
    db.prepare(`drop table ${restoreMarker}`),
  ];
  for (const statement of slow) await statement.run();
  await db.batch(last);
}

/** Statements that insert the rows of a table, each with its number of rows. */
function* insertions(db: D1Database, backup: DatabaseSync, table: string) {
  const columns = backup.prepare('select name from pragma_table_info(?)').all(table);
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  const values = columns.map((_, index) => `value ->> '$[${index}]'`).join(', ');
  const insert = db.prepare(`insert into "${table}" (${names}) select ${values} from json_each(?)`);
  const statement = backup.prepare(`select ${names} from "${table}"`);
  statement.setReturnArrays(true);
  let count = 0;
  function* counting() {
    for (const row of statement.iterate()) {
      count += 1;
      yield row;
    }
  }
  for (const array of chunkedJson(counting())) {
    yield [insert.bind(array), count] as const;
    count = 0;
  }
}

/** Restores the counters of ids, so that no id is given again. */
function counters(db: D1Database, backup: DatabaseSync): D1PreparedStatement[] {
  const rows = backup.prepare('select name, seq from sqlite_sequence').all();
  return [
    db.prepare('delete from sqlite_sequence'),
    ...rows.map(({ name, seq }) =>
      db.prepare('insert into sqlite_sequence (name, seq) values (?, ?)').bind(name, seq),
    ),
  ];
}

/** The statements that created things of this type, of one table or of all. */
function creationOf(
  backup: DatabaseSync,
  type: 'table' | 'index' | 'trigger',
  table: string | null = null,
): string[] {
  const rows = backup
    .prepare(
      'select sql from sqlite_schema where type = ? and sql is not null and tbl_name = ifnull(?, tbl_name)',
    )
    .all(type, table) as { sql: string }[];
  return rows.map(({ sql }) => sql);
}
