import { createHash, createHmac } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { orRefusal, RegistryError } from '../../base/error.ts';
import { commandLine } from '../command.ts';
import { readLocalConfig } from '../wrangler-config.ts';
import { explainFullDatabase } from './disk.ts';
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
 * Judges a local database: returns its file, or undefined if there is none. Throws `unexpected` if this user may not
 * read it, and `malformed` if it is damaged.
 */
export function findDatabaseFile(
  directory: string,
  environment: string | undefined,
): string | undefined {
  const file = databaseFileOf(directory, environment);
  try {
    requireAccess(constants.R_OK, file);
  } catch (error) {
    if (error instanceof RegistryError && error.reason === 'not_found') return undefined;
    throw error;
  }
  checkDatabase(file, 'select count(*) from sqlite_schema');
  return file;
}

/** Throws, naming the first path, `not_found` if it is missing, and `unexpected` if this user may not use it so. */
export function requireAccess(mode: number, ...paths: string[]): void {
  for (const each of paths) {
    try {
      accessSync(each, mode);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
      if (isMissing) throw new RegistryError('not_found', `${each} does not exist`);
      const way = mode === constants.W_OK ? 'write' : 'read';
      throw new RegistryError('unexpected', `${each}: no permission to ${way} it`);
    }
  }
}

/** SQLite's primary result codes. */
const damages = [11, 26];
const refusedWrites = [8, 14];

/** Throws `malformed` for damage that the query meets, and `unexpected` if SQLite may not write its log. */
function checkDatabase(file: string, query: string): void {
  let why: unknown;
  try {
    using sqlite = new DatabaseSync(file, { readOnly: true, timeout: 30_000 });
    const { quick_check: found = 'ok' } = sqlite.prepare(query).get()!;
    if (found !== 'ok') why = found;
  } catch (error) {
    const { errcode = 0, message } = error as Error & { errcode?: number };
    if (damages.includes(errcode & 0xff)) why = message;
    if (refusedWrites.includes(errcode & 0xff))
      requireAccess(constants.W_OK, path.dirname(file), file);
  }
  if (why === undefined) return;
  const remove = commandLine([file, `${file}-wal`, `${file}-shm`], {}, 'rm -f');
  throw new RegistryError(
    'malformed',
    `the local database is damaged: ${why}; restore a backup into another directory, or delete the database: ${remove}`,
  );
}

/** Returns the refusal of a damaged database or a full disk, if that may be the cause of a failure. Otherwise returns the error. */
export function explainFailure(
  error: unknown,
  directory: string,
  environment: string | undefined,
): unknown {
  if (error instanceof RegistryError && error.reason !== 'unexpected') return error;
  const refusal = orRefusal(() => {
    const file = findDatabaseFile(directory, environment);
    if (file !== undefined) checkDatabase(file, 'pragma quick_check(1)');
  });
  const isDamaged = refusal instanceof RegistryError && refusal.reason === 'malformed';
  return isDamaged ? refusal : explainFullDatabase(error, directory);
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
