import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { chunkedJson } from '../../../base/database/json-rows.ts';
import { restoreMarker } from '../../migrate.ts';
import { startProgress } from '../../report/progress.ts';
import type { Account } from './access.ts';

/** The mark of an unfinished restore in a database. */
export interface Mark {
  /** For people: repeats the restore. */
  command: string;
  /** The digest of the file, and the options. A repeat must have the same. */
  input: string;
  /** A `Before` in JSON, for the repeat. */
  before: string;
}

export interface Before {
  /** Absent if access is restored as in the file. */
  accounts?: readonly Account[] | undefined;
  lastId: number;
}

export type Figures = Record<'registrars' | 'changes' | 'lastId', number> & { words: string };

const selectFigures = `select (select count(*) from registrars) as registrars, count(*) as changes,
  (select max(seq) from sqlite_sequence) as lastId,
  format('registrars: %d, contacts: %d, changes: %d, last change: %s', (select count(*) from registrars),
    (select count(*) from contacts), count(*), max(occurred_at)) as words from history`;

/**
 * Returns the database's figures, or the mark of an unfinished restore. Empty for a database
 * without tables.
 */
export async function readState(db: D1Database): Promise<{ mark?: Mark; seen?: Figures }> {
  const tables = await tablesIn(db);
  if (tables.includes(restoreMarker)) {
    return { mark: (await db.prepare(`select * from ${restoreMarker}`).first<Mark>())! };
  }
  if (!tables.includes('history')) return {};
  return { seen: (await db.prepare(selectFigures).first<Figures>())! };
}

async function tablesIn(db: D1Database): Promise<string[]> {
  const { results } = await db.prepare(selectTables).all<TableReference>();
  return parentsFirst(results);
}

/**
 * Empties the database and leaves the mark, in one batch, unless the database has changed since `seen`. Every command refuses a database with a
 * mark. Returns the statements that remove the mark. They fail if another restore has left its own meanwhile.
 */
export async function makeEmpty(
  db: D1Database,
  { command, input, before }: Mark,
  seen?: Figures,
): Promise<D1PreparedStatement[]> {
  const owner = crypto.randomUUID();
  const isAsSeen = seen ? `(select count(*) from history) = ${seen.changes}` : 'true';
  const tables = (await tablesIn(db)).filter((table) => table !== restoreMarker);
  await db.batch([
    db.prepare(`drop table if exists ${restoreMarker}`),
    // The name of the constraint is in the error of the database.
    db.prepare(`create table ${restoreMarker} (command text, input text, before text, owner text, is_as_seen integer,
      constraint "the database has changed meanwhile; stop the service" check (is_as_seen))`),
    db
      .prepare(`insert into ${restoreMarker} values (?, ?, ?, ?, ${isAsSeen})`)
      .bind(command, input, before, owner),
    // In the reverse order, or SQLite would delete referenced rows one by one.
    ...tables.reverse().map((table) => db.prepare(`drop table "${table}"`)),
  ]);
  return [
    db.prepare(`update ${restoreMarker} set is_as_seen = (owner = ?)`).bind(owner),
    db.prepare(`drop table ${restoreMarker}`),
  ];
}

/** Without these tables, no list is published, no login succeeds and no command works. */
const lastTables = ['list_publications', 'api_users', 'systems', 'certificates', 'd1_migrations'];

/** Copies a backup into an empty database. The last batch, with the given statements, makes it usable. */
export async function copyInto(
  db: D1Database,
  file: string,
  last: readonly D1PreparedStatement[] = [],
): Promise<void> {
  using backup = new DatabaseSync(file, { readOnly: true });
  const all = tablesOf(backup);
  using progress = startProgress('restoring', countRows(backup).rows);
  const tables = all.filter((table) => !lastTables.includes(table));
  // An earlier release's backup has fewer tables.
  const withheld = lastTables.filter((table) => all.includes(table));
  const selectCreation = backup.prepare(
    'select sql from sqlite_schema where type = ? and sql is not null and tbl_name = ?',
  );
  const creation = (type: string, table: string) =>
    selectCreation.all(type, table).map(({ sql }) => db.prepare(String(sql)));
  for (const table of tables) {
    await creation('table', table)[0]!.run();
    for (const statement of insertions(db, backup, table)) {
      progress.advance((await statement.run()).meta.changes);
    }
  }
  // These are prepared before the slow ones: the proxy of a deployed database closes its connection after seconds of
  // silence.
  const slow = tables.flatMap((table) => creation('index', table));
  const final = [
    ...withheld.flatMap((table) => [
      ...creation('table', table),
      ...insertions(db, backup, table),
      ...creation('index', table),
    ]),
    ...all.flatMap((table) => creation('trigger', table)),
    db.prepare('delete from sqlite_sequence'),
    ...insertions(db, backup, 'sqlite_sequence'),
    ...last,
  ];
  for (const statement of slow) await statement.run();
  await db.batch(final);
}

function* insertions(db: D1Database, backup: DatabaseSync, table: string) {
  const columns = backup.prepare('select name from pragma_table_info(?)').all(table);
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  const values = columns.map((_, index) => `value ->> '$[${index}]'`).join(', ');
  const insert = db.prepare(`insert into "${table}" (${names}) select ${values} from json_each(?)`);
  const statement = backup.prepare(`select ${names} from "${table}"`);
  statement.setReturnArrays(true);
  for (const array of chunkedJson(statement.iterate())) yield insert.bind(array);
}

export type Contents = Record<string, { rows: number; digest: string }>;

/** Excludes objects of SQLite and of the platform. */
const isOwn = (name: string) => `${name} not glob 'sqlite_*' and ${name} not glob '_cf_*'`;

type TableReference = { name: string; parent: string | null };

const selectTables = `
  select own.name, reference."table" as parent
  from sqlite_schema as own left join pragma_foreign_key_list(own.name) as reference
  where own.type = 'table' and ${isOwn('own.name')} order by own.name`;

/** Referenced tables come first. */
function parentsFirst(rows: readonly TableReference[]): string[] {
  const references = Map.groupBy(rows, ({ name }) => name);
  const ordered = new Set<string>();
  const add = (table: string) => {
    for (const { parent } of references.get(table)!) {
      if (parent !== null && parent !== table) add(parent);
    }
    ordered.add(table);
  };
  for (const table of references.keys()) add(table);
  return [...ordered];
}

export function tablesOf(database: DatabaseSync): string[] {
  return parentsFirst(database.prepare(selectTables).all() as unknown as TableReference[]);
}

/** Copies have their rows in the same order. */
export function contentsOf(database: DatabaseSync): Contents {
  const selects = [
    ...tablesOf(database).map((table) => [table, `select * from "${table}"`]),
    [
      'sqlite_schema',
      `select type, name, sql from sqlite_schema where ${isOwn('name')} order by type, name`,
    ],
    ['sqlite_sequence', 'select name, seq from sqlite_sequence order by name'],
  ] as [string, string][];
  return Object.fromEntries(
    selects.map(([table, select]) => {
      const statement = database.prepare(select);
      statement.setReturnArrays(true);
      const hash = createHash('sha256');
      let rows = 0;
      for (const row of statement.iterate()) {
        hash.update(`${JSON.stringify(row)}\n`);
        rows += 1;
      }
      return [table, { rows, digest: hash.digest('hex') }];
    }),
  );
}

export function countRows(database: DatabaseSync): { tables: number; rows: number } {
  const tables = tablesOf(database);
  const counts = tables.map((table) => database.prepare(`select count(*) as rows from "${table}"`));
  return {
    tables: tables.length,
    rows: counts.reduce((sum, one) => sum + Number(one.get()!.rows), 0),
  };
}

export function countContents(contents: Contents): { tables: number; rows: number } {
  const own = Object.entries(contents).filter(([table]) => !table.startsWith('sqlite_'));
  return { tables: own.length, rows: own.reduce((total, [, { rows }]) => total + rows, 0) };
}
