import { createHash, createHmac } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { readLocalConfig } from '../wrangler-config.ts';
import { type DatabaseCall, databaseOver } from './http-bindings.ts';

/** The runtime names the database by the id of a Durable Object. */
export function databaseFileOf(directory: string, environment: string | undefined): string {
  const kind = 'miniflare-D1DatabaseObject';
  const key = createHash('sha256').update(kind).digest();
  const digest = (data: string | Buffer) =>
    createHmac('sha256', key).update(data).digest().subarray(0, 16);
  const name = digest(readLocalConfig(environment).databaseId);
  const id = Buffer.concat([name, digest(name)]).toString('hex');
  return path.join(directory, 'v3/d1', kind, `${id}.sqlite`);
}

/**
 * The file's name is undocumented: without it, a local `backup` is refused, and other commands
 * start a runtime.
 */
export function findDatabaseFile(
  directory: string,
  environment: string | undefined,
): string | undefined {
  const file = databaseFileOf(directory, environment);
  return existsSync(file) ? file : undefined;
}

/**
 * Opens the file, by default read-only, without a runtime, which takes longer to start than most
 * commands to run.
 */
export function openFile(file: string, { isWritable = false } = {}) {
  const sqlite = new DatabaseSync(file, { timeout: 30_000 });
  const fast = 'pragma journal_mode = memory; pragma synchronous = off; pragma cache_size = -65536';
  sqlite.exec(isWritable ? fast : 'pragma query_only = on');
  const bytes = 'select page_count * page_size as bytes from pragma_page_count, pragma_page_size';
  const run = ({ sql, params }: DatabaseCall['statements'][number], isRaw: boolean) => {
    const statement = sqlite.prepare(sql);
    statement.setReturnArrays(isRaw);
    return statement.all(...(params as SQLInputValue[]));
  };
  const answer = ({ statements, isRaw }: DatabaseCall) => {
    if (isRaw) return run(statements[0]!, true);
    // All statements see the same state.
    sqlite.exec('begin');
    try {
      const results = statements.map((statement) => ({
        success: true,
        results: run(statement, false),
        meta: {
          changes: Number(sqlite.prepare('select changes() as count').get()!.count),
          size_after: Number(sqlite.prepare(bytes).get()!.bytes),
        },
      }));
      if (isWritable) sqlite.exec('commit');
      return results;
    } finally {
      if (sqlite.isTransaction) sqlite.exec('rollback');
    }
  };
  return {
    database: databaseOver(async (call) => answer(call)),
    close: () => sqlite.close(),
  };
}
