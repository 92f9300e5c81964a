import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';

/** Rows of each table, and their digest. */
export type Contents = Record<string, { rows: number; digest: string }>;

/** Excludes what belongs to SQLite or to the platform. */
const isOwn = (name: string) => `${name} not glob 'sqlite_*' and ${name} not glob '_cf_*'`;

/** A table and one that it refers to, if any. */
export type TableReference = { name: string; parent: string | null };

export const selectTables = `
  select own.name, reference."table" as parent
  from sqlite_schema as own left join pragma_foreign_key_list(own.name) as reference
  where own.type = 'table' and ${isOwn('own.name')} order by own.name`;

/** Orders tables so that each comes before those that refer to it. */
export function parentsFirst(rows: readonly TableReference[]): string[] {
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

/** The contents of the registry's tables, of the schema and of SQLite's counters. A copy has its rows in the same order. */
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

export function summaryOf(contents: Contents): { tables: number; rows: number } {
  const own = Object.entries(contents).filter(([table]) => !table.startsWith('sqlite_'));
  return { tables: own.length, rows: own.reduce((total, [, { rows }]) => total + rows, 0) };
}
