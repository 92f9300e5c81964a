import { rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { beforeAll, expect, inject, test } from 'vitest';
import type { OpenBindings } from '../../src/tool/bindings.ts';
import { type DatabaseCall, databaseOver } from '../../src/tool/local/http-bindings.ts';
import { applyMigrations, findMissingMigrations } from '../../src/tool/migrate.ts';
import { contentsOf } from '../../src/tool/nouns/backup/contents.ts';
import { makeEmpty, readState } from '../../src/tool/nouns/backup/copy.ts';
import { writeBackup } from '../../src/tool/nouns/backup/file.ts';
import { runProgram } from '../../src/tool/program.ts';
import { captured } from './captured.ts';
import { startTool } from './tool.ts';

/** A process that is killed runs nothing further, and neither does this database. */
class Killed extends Error {}

/** A deployed database of the test's own, which ends before one of its statements, or during a batch. */
function newDatabase(sqlite: DatabaseSync) {
  let done = 0;
  let last = Number.POSITIVE_INFINITY;
  const run = ({ sql, params }: DatabaseCall['statements'][number], isRaw: boolean) => {
    if (done >= last) throw new Killed('killed');
    done += 1;
    const statement = sqlite.prepare(sql);
    statement.setReturnArrays(isRaw);
    return statement.all(...(params as SQLInputValue[]));
  };
  const db = databaseOver(async ({ statements, isRaw }) => {
    if (isRaw) return run(statements[0]!, true);
    sqlite.exec('begin');
    try {
      const result = statements.map((one) => ({
        ...{ success: true, results: run(one, false), meta: { changes: 0 } },
      }));
      sqlite.exec('commit');
      return result;
    } catch (error) {
      sqlite.exec('rollback');
      throw error;
    }
  });
  return {
    db,
    killAfter(statements: number) {
      done = 0;
      last = statements;
    },
    done: () => done,
  };
}

const tool = startTool();
const registry = tool.sharedRegistry();
let file: string;

const insertUser = (code: string) => `
  insert into registrars (code, name, created_at, updated_at) values ('${code}', 'R', '', '');
  insert into api_users (registrar_id, username, secret_digest, secret_changed_at, created_at, updated_at)
    values ((select id from registrars where code = '${code}'), '${code}', '${code[0]!.toLowerCase().repeat(64)}', '', '', '')`;
const entry = `insert into history (occurred_at, subject, subject_key, action, actor_type, actor, changes)
  values ('', 'registrar', 'BOTH', 'update', 'operator', '', '{}')`;

beforeAll(async () => {
  using source = new DatabaseSync(':memory:');
  await applyMigrations(newDatabase(source).db);
  source.exec(insertUser('BOTH'));
  file = path.join(await tool.newDirectory(), 'backup.sqlite');
  await writeBackup(file, async (target) => {
    source.prepare('vacuum into ?').run(target);
  });
});

/** Restores the file into a deployed database, beside which KV and R2 are those of the registry. */
async function restore(DB: D1Database, ...options: string[]) {
  const { env, dispose } = await registry.open();
  const open: OpenBindings = async () => ({ env: { ...env, DB }, dispose });
  return await captured(() => runProgram(['restore', file, '--remote', '--yes', ...options], open));
}

/** A database in which the file's user is disabled. */
async function living(sqlite: DatabaseSync) {
  const database = newDatabase(sqlite);
  await applyMigrations(database.db);
  sqlite.exec(insertUser('BOTH'));
  sqlite.exec("update api_users set disabled_at = '2026-11-24'");
  return database;
}

const usersOf = (sqlite: DatabaseSync) =>
  sqlite
    .prepare('select username, disabled_at is null as is_in from api_users')
    .all()
    .map((row) => ({ ...row }));
const refused = [{ username: 'BOTH', is_in: 0 }];

test('a restore that is killed at any of its statements lets nobody back in, and leaves the old database, the new one, or one that is refused', async () => {
  using measured = new DatabaseSync(':memory:');
  const { db: whole, done: count, killAfter: begin } = await living(measured);
  begin(Number.POSITIVE_INFINITY);
  expect(await restore(whole)).toMatchObject({ status: 0 });
  const total = count();
  // The first and the last are the dearest to get wrong.
  const few = [0, 20, total - 130, total - 60];
  const moments = inject('isDeep') ? Array.from({ length: total + 1 }, (_, n) => n) : few;
  const seen = new Set<string>();
  for (const statements of moments) {
    using sqlite = new DatabaseSync(':memory:');
    const { db, killAfter } = await living(sqlite);
    const before = contentsOf(sqlite);
    killAfter(statements);
    const { status } = await restore(db);
    killAfter(Number.POSITIVE_INFINITY);

    const state = await findMissingMigrations(db).catch((error: Error) => error.message);
    const isMarked = typeof state === 'string';
    if (isMarked) expect(state).toContain(`restore again: npm run registry -- restore ${file}`);
    else expect(usersOf(sqlite)).toEqual(refused);
    if (!isMarked && contentsOf(sqlite).history?.rows === 0)
      expect(contentsOf(sqlite)).toEqual(before);
    seen.add(`${status === 0 ? 'whole' : 'killed'}, ${isMarked ? 'refused' : 'accepted'}`);

    // What the marked database no longer says, the copy does.
    expect(await restore(db)).toMatchObject({ status: 0 });
    expect(usersOf(sqlite)).toEqual(refused);
  }
  expect([...seen]).toEqual(expect.arrayContaining(['killed, accepted', 'killed, refused']));
}, 600_000);

/** The database after a restore that was killed when the old rows were gone. */
async function halfRestored(sqlite: DatabaseSync) {
  const { db, killAfter } = await living(sqlite);
  for (let statements = 30; !(await readState(db)).mark; statements += 5) {
    killAfter(statements);
    await restore(db);
    killAfter(Number.POSITIVE_INFINITY);
  }
  return db;
}

test('a restore that is repeated without its copy disables everybody, unless access is to be as in the file', async () => {
  for (const options of [[], ['--access-as-in-file']]) {
    using sqlite = new DatabaseSync(':memory:');
    const db = await halfRestored(sqlite);
    rmSync(`${file}.prepared`);
    const { stdout } = await restore(db, ...options);
    expect(stdout.includes('kept as it was: API user BOTH of BOTH: disabled_at')).toBe(
      options.length === 0,
    );
    expect(usersOf(sqlite)).toEqual([{ username: 'BOTH', is_in: options.length }]);
  }
});

test('removes nothing if somebody has changed the registry since it was read', async () => {
  using sqlite = new DatabaseSync(':memory:');
  const { db } = await living(sqlite);
  const { seen } = await readState(db);
  sqlite.exec(entry);
  const before = contentsOf(sqlite);
  await expect(makeEmpty(db, { command: 'restore it', sha256: '' }, seen)).rejects.toThrow(
    'the database has changed meanwhile, and nothing was removed; stop the service',
  );
  expect(contentsOf(sqlite)).toEqual(before);
});
