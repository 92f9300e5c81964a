import { readdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { jsonArrays } from '../../src/base/database/json-rows.ts';
import type { Env } from '../../src/base/env.ts';
import { emptyBucket } from '../list/archive/bucket.ts';

/** The database file of a local registry. */
export function databaseFile(directory: string): string {
  const folder = path.join(directory, 'v3/d1/miniflare-D1DatabaseObject');
  return path.join(folder, readdirSync(folder).find((name) => /^[0-9a-f]+\.sqlite$/.test(name))!);
}

/** The rows of each table. */
export type Rows = [table: string, rows: object[]][];

interface Empty {
  schema: { type: string; name: string; sql: string }[];
  /** The rows that the migrations insert. */
  rows: Rows;
}

let empty: Empty | undefined;

const selectSchema =
  "select type, name, sql from sqlite_master where sql is not null and name not glob '_cf_*' order by type, name";

function readEmpty(directory: string): Empty {
  using database = new DatabaseSync(databaseFile(directory), { readOnly: true });
  const schema = database.prepare(selectSchema).all() as unknown as Empty['schema'];
  const tables = schema.filter(({ type, name }) => type === 'table' && name !== 'd1_migrations');
  const rows = tables.map(({ name }): [string, object[]] => [
    name,
    database.prepare(`select * from "${name}"`).all(),
  ]);
  return { schema, rows };
}

/**
 * Makes a registry as empty as the given one is: with the rows of the migrations in its tables, and nothing else, and with
 * nothing in KV and R2. False, and nothing changed, if its tables or triggers are others.
 */
export async function emptyAgain(env: Env, like: string): Promise<boolean> {
  const { DB, LISTS, ARCHIVE } = env;
  empty ??= readEmpty(like);
  const { schema, rows } = empty;
  const { results } = await DB.prepare(selectSchema).all();
  if (JSON.stringify(results) !== JSON.stringify(schema)) return false;
  await Promise.all([
    replaceRows(DB, rows, schema),
    emptyNamespace(LISTS),
    ARCHIVE && emptyBucket(ARCHIVE),
  ]);
  return true;
}

async function emptyNamespace(namespace: KVNamespace): Promise<void> {
  for (let isDone = false; !isDone; ) {
    const { keys, list_complete } = await namespace.list();
    await Promise.all(keys.map(({ name }) => namespace.delete(name)));
    isDone = list_complete;
  }
}

/** Gives each of the tables these rows alone. */
export async function replaceRows(
  DB: D1Database,
  rows: Rows,
  schema?: Empty['schema'],
): Promise<void> {
  const parts = schema ?? (await DB.prepare(selectSchema).all<Empty['schema'][number]>()).results;
  const triggers = parts.filter(({ type }) => type === 'trigger');
  // Whatever is inserted writes its own rows into the table of the highest ids, so that one comes last.
  const isSequence = ([table]: Rows[number]) => table === 'sqlite_sequence';
  const tables = rows.filter((table) => !isSequence(table));
  const sequence = rows.filter(isSequence);
  const deletions = (some: Rows) => some.map(([table]) => DB.prepare(`delete from "${table}"`));
  const insertions = (some: Rows) =>
    some.flatMap(([table, values]) => {
      const columns = Object.keys(values[0] ?? {});
      const selected = columns.map((name) => `value ->> '${name}'`);
      const insert = `insert into "${table}" (${columns}) select ${selected} from json_each(?)`;
      return jsonArrays(values).map((json) => DB.prepare(insert).bind(json));
    });
  await DB.batch([
    DB.prepare('pragma defer_foreign_keys = on'),
    // Some refuse deletions.
    ...triggers.map(({ name }) => DB.prepare(`drop trigger ${name}`)),
    ...deletions(tables),
    ...insertions(tables),
    ...deletions(sequence),
    ...insertions(sequence),
    ...triggers.map(({ sql }) => DB.prepare(sql)),
  ]);
}

/** All rows of a database, for `replaceRows`. */
export async function copyRows(DB: D1Database): Promise<Rows> {
  const { results } = await DB.prepare(selectSchema).all<Empty['schema'][number]>();
  const tables = results.filter(({ type, name }) => type === 'table' && name !== 'd1_migrations');
  const rows = await DB.batch(tables.map(({ name }) => DB.prepare(`select * from "${name}"`)));
  return tables.map(({ name }, place) => [name, rows[place]!.results as object[]]);
}
