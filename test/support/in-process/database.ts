import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { databaseFileOf } from '../../../src/tool/local/file.ts';
import type { DatabaseCall } from '../../../src/tool/local/http-bindings.ts';
import { databaseOfCalls } from '../lent-database.ts';
import { laterTurn } from './later-turn.ts';

/** D1's own (https://developers.cloudflare.com/d1/platform/limits/), and workerd's for what those don't name. */
const limits = {
  ...{ sqlLength: 100_000, column: 100, variableNumber: 100, likePatternLength: 50 },
  ...{ functionArg: 127, compoundSelect: 5, exprDepth: 100, attach: 0, triggerDepth: 10 },
};

/** A database in memory that begins as the one in the file. */
export function copyDatabase(file: string): D1Database {
  const sqlite = new DatabaseSync(':memory:');
  sqlite.deserialize(readFileSync(file));
  return inProcessDatabase(sqlite);
}

/** The database of a local registry, which is created if it is not there. */
export function openDatabaseFile(directory: string) {
  const file = databaseFileOf(directory, undefined);
  mkdirSync(path.dirname(file), { recursive: true });
  const sqlite = new DatabaseSync(file, { timeout: 30_000 });
  sqlite.exec('pragma synchronous = off');
  return { DB: inProcessDatabase(sqlite), close: () => sqlite.close() };
}

/** D1 on a database of Node's SQLite. It counts no rows, as only D1 knows how it does. */
export function inProcessDatabase(sqlite: DatabaseSync): D1Database {
  Object.assign(sqlite.limits, limits);
  sqlite.exec('pragma recursive_triggers = off');
  const prepared = new Map<string, StatementSync>();
  const run = ({ sql, params }: DatabaseCall['statements'][number], isRaw: boolean) => {
    const statement = prepared.get(sql) ?? sqlite.prepare(sql);
    prepared.set(sql, statement);
    statement.setReturnArrays(isRaw);
    return statement.all(...(params as SQLInputValue[]));
  };
  const counts = 'select total_changes() as changes, last_insert_rowid() as last_row_id';
  const bytes = 'select page_count * page_size as bytes from pragma_page_count, pragma_page_size';
  const count = (sql: string) => run({ sql, params: [] }, false)[0] as Record<string, number>;
  const result = (statement: DatabaseCall['statements'][number]) => {
    const before = count(counts);
    const results = run(statement, false).map((row) => ({ ...(row as object) }));
    const after = count(counts);
    const changes = after.changes! - before.changes!;
    const size_after = count(bytes).bytes;
    const rows = { rows_read: 0, rows_written: 0 };
    return { success: true, results, meta: { ...after, ...rows, changes, size_after } };
  };
  const commit = () => {
    try {
      sqlite.exec('commit');
    } catch {
      // A foreign key that was deferred.
      throw new Error('internal error');
    }
  };
  const answer = ({ statements, isRaw }: DatabaseCall) => {
    sqlite.exec('begin');
    try {
      const results = isRaw ? run(statements[0]!, true) : statements.map(result);
      commit();
      return results;
    } finally {
      if (sqlite.isTransaction) sqlite.exec('rollback');
    }
  };
  return databaseOfCalls(async (call, session) => {
    await laterTurn();
    try {
      const result = answer(call);
      const place = Number(count(counts).changes).toString(16).padStart(8, '0');
      const bookmark = `00000001-${place}-00000000-${'0'.repeat(32)}`;
      return { result, bookmark: session === undefined ? null : bookmark };
    } catch (error) {
      return { message: `D1_ERROR: ${(error as Error).message}` };
    }
  });
}
