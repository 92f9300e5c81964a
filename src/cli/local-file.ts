import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { databaseOver, type WireStatement } from './http-bindings.ts';

/**
 * The SQLite file of the only local database in the directory; undefined if it is not found or not the only one. Where
 * Miniflare keeps it is not documented, so only a local `backup` needs to find it; other commands that read start a runtime instead, which takes a second.
 */
export function findDatabaseFile(directory: string): string | undefined {
  const folder = path.join(directory, 'v3/d1/miniflare-D1DatabaseObject');
  if (!existsSync(folder)) return undefined;
  const files = readdirSync(folder).filter((name) => /^[0-9a-f]+\.sqlite$/.test(name));
  return files.length === 1 ? path.join(folder, files[0]!) : undefined;
}

/**
 * The database in the file, read-only: a command that only reads need not wait for the local runtime, which
 * takes longer to start than the command to run.
 */
export function openFileForReading(file: string) {
  const sqlite = new DatabaseSync(file, { timeout: 30_000 });
  sqlite.exec('pragma query_only = on');
  const read = ({ sql, params }: WireStatement, isRaw: boolean) => {
    const statement = sqlite.prepare(sql);
    statement.setReturnArrays(isRaw);
    return statement.all(...(params as SQLInputValue[]));
  };
  return {
    database: databaseOver(async ({ statements, isRaw }) => {
      if (isRaw) return read(statements[0]!, true);
      // One transaction, so that all statements see the same state.
      sqlite.exec('begin');
      try {
        return statements.map((statement) => ({
          success: true,
          results: read(statement, false),
          meta: { changes: 0 },
        }));
      } finally {
        sqlite.exec('rollback');
      }
    }),
    close: () => sqlite.close(),
  };
}
