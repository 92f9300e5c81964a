import { rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, expect, inject, test } from 'vitest';
import type { OpenBindings } from '../../src/tool/bindings.ts';
import { openFile } from '../../src/tool/local/file.ts';
import { databaseOver, runStatements } from '../../src/tool/local/http-bindings.ts';
import { applyMigrations, findMissingMigrations } from '../../src/tool/migrate.ts';
import { contentsOf, makeEmpty, readState } from '../../src/tool/nouns/backup/copy.ts';
import { writeBackup } from '../../src/tool/nouns/backup/file.ts';
import { runProgram } from '../../src/tool/program.ts';
import { captured } from './captured.ts';
import { startTool } from './tool.ts';

/** A process that is killed runs nothing further, and neither does this database. */
class Killed extends Error {}

/** A deployed database of the test's own, which ends before one of its calls. */
async function newDatabase() {
  const file = path.join(await tool.newDirectory(), 'deployed.sqlite');
  const { database } = openFile(file, { isWritable: true });
  let done = 0;
  let last = Number.POSITIVE_INFINITY;
  const db = databaseOver(async (call) => {
    if (done >= last) throw new Killed('killed');
    done += 1;
    return runStatements(database, call);
  });
  return {
    db,
    sqlite: new DatabaseSync(file),
    killAfter(calls: number) {
      done = 0;
      last = calls;
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
  const { db, sqlite } = await newDatabase();
  await applyMigrations(db);
  sqlite.exec(insertUser('BOTH'));
  file = path.join(await tool.newDirectory(), 'backup.sqlite');
  await writeBackup(file, async (target) => {
    sqlite.prepare('vacuum into ?').run(target);
  });
});

/** Restores the file into a deployed database, beside which KV and R2 are those of the registry. */
async function restore(DB: D1Database, ...options: string[]) {
  const { env, dispose } = await registry.open();
  const open: OpenBindings = async () => ({ env: { ...env, DB }, dispose });
  return await captured(() => runProgram(['restore', file, '--remote', '--yes', ...options], open));
}

/** A database in which the file's user is disabled. */
async function living() {
  const database = await newDatabase();
  await applyMigrations(database.db);
  database.sqlite.exec(insertUser('BOTH'));
  database.sqlite.exec("update api_users set disabled_at = '2026-11-24'");
  return database;
}

const usersOf = (sqlite: DatabaseSync) =>
  sqlite
    .prepare('select username, disabled_at is null as is_in from api_users')
    .all()
    .map((row) => ({ ...row }));
const refused = [{ username: 'BOTH', is_in: 0 }];

test('a restore that is killed at any of its calls lets nobody back in, and leaves the old database, the new one, or one that is refused', async () => {
  const { db: whole, done: count, killAfter: begin } = await living();
  begin(Number.POSITIVE_INFINITY);
  expect(await restore(whole)).toMatchObject({ status: 0 });
  const total = count();
  const few = [0, 4, 10, Math.round(total / 2), total - 2];
  const moments = inject('isDeep') ? Array.from({ length: total + 1 }, (_, n) => n) : few;
  const seen = new Set<string>();
  for (const calls of moments) {
    const { db, sqlite, killAfter } = await living();
    const before = contentsOf(sqlite);
    killAfter(calls);
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
async function halfRestored() {
  const { db, sqlite, killAfter } = await living();
  for (let calls = 1; !(await readState(db)).mark; calls += 1) {
    killAfter(calls);
    await restore(db);
    killAfter(Number.POSITIVE_INFINITY);
  }
  return { db, sqlite };
}

test('a restore that is repeated without its copy disables everybody, unless access is to be as in the file', async () => {
  for (const options of [[], ['--access-as-in-file']]) {
    const { db, sqlite } = await halfRestored();
    rmSync(`${file}.prepared`);
    const { stdout } = await restore(db, ...options);
    expect(stdout.includes('kept as it was: API user BOTH of BOTH: disabled_at')).toBe(
      options.length === 0,
    );
    expect(usersOf(sqlite)).toEqual([{ username: 'BOTH', is_in: options.length }]);
  }
});

test('removes nothing if somebody has changed the registry since it was read', async () => {
  const { db, sqlite } = await living();
  const { seen } = await readState(db);
  sqlite.exec(entry);
  const before = contentsOf(sqlite);
  await expect(makeEmpty(db, { command: 'restore it', sha256: '' }, seen)).rejects.toThrow(
    'the registry has changed meanwhile; stop the service',
  );
  expect(contentsOf(sqlite)).toEqual(before);
});
