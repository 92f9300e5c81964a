import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import type { OpenBindings } from '../../src/tool/bindings.ts';
import { openFile } from '../../src/tool/local/file.ts';
import { databaseOver, runStatements } from '../../src/tool/local/http-bindings.ts';
import { applyMigrations, findMissingMigrations } from '../../src/tool/migrate.ts';
import { contentsOf, copyInto, makeEmpty, readState } from '../../src/tool/nouns/backup/copy.ts';
import { writeBackup } from '../../src/tool/nouns/backup/file.ts';
import { runProgram } from '../../src/tool/program.ts';
import { captured } from './captured.ts';
import { startTool } from './tool.ts';

/** A process that is killed runs nothing further, and neither does this database. */
class Killed extends Error {}

/** A deployed database of the test's own, at first a copy of that file, which ends before one of its calls. */
async function newDatabase(from?: string) {
  const file = path.join(await tool.newDirectory(), 'deployed.sqlite');
  if (from) copyFileSync(from, file);
  const { database } = openFile(file, { isWritable: true });
  let done = 0;
  let isKilled = async () => false;
  const db = databaseOver(async (call) => {
    if (await isKilled()) throw new Killed('killed');
    done += 1;
    return runStatements(database, call);
  });
  return {
    db,
    sqlite: new DatabaseSync(file),
    killAfter(calls: number) {
      done = 0;
      isKilled = async () => done >= calls;
    },
    /** When the old rows are gone. */
    killWhenMarked() {
      isKilled = async () => Boolean((await readState(database)).mark);
    },
    done: () => done,
  };
}

const tool = startTool();
const registry = tool.sharedRegistry();
let file: string;
let livingFile: string;

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
  const directory = await tool.newDirectory();
  file = path.join(directory, 'backup.sqlite');
  await writeBackup(file, async (target) => {
    sqlite.prepare('vacuum into ?').run(target);
  });
  sqlite.exec("update api_users set disabled_at = '2026-11-24'");
  livingFile = path.join(directory, 'living.sqlite');
  sqlite.prepare('vacuum into ?').run(livingFile);
});

/** Restores a file into a deployed database, beside which KV and R2 are those of the registry. */
async function restore(DB: D1Database, options: readonly string[] = [], from = file) {
  const { env, dispose } = await registry.open();
  const open: OpenBindings = async () => ({ env: { ...env, DB }, dispose });
  return await captured(() => runProgram(['restore', from, '--remote', '--yes', ...options], open));
}

/** A database in which the file's user is disabled. */
const living = () => newDatabase(livingFile);

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
  // Most calls copy rows as the one before does: six deep runs try each.
  const drawn = Number(process.env.RANDOM_SEED) % 6;
  const each = Array.from({ length: total + 1 }, (_, n) => n).filter((n) => n % 6 === drawn);
  const moments = inject('isDeep') ? new Set([...few, ...each]) : few;
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

    // What the database no longer says, its mark does.
    expect(await restore(db)).toMatchObject({ status: 0 });
    expect(usersOf(sqlite)).toEqual(refused);
  }
  expect([...seen]).toEqual(expect.arrayContaining(['killed, accepted', 'killed, refused']));
}, 600_000);

/** The database after a restore that was killed when its old rows were gone. */
async function halfRestored(options: readonly string[] = [], database = living()) {
  const { db, sqlite, killAfter, killWhenMarked } = await database;
  killWhenMarked();
  expect(await restore(db, options)).toMatchObject({ status: 1 });
  killAfter(Number.POSITIVE_INFINITY);
  return { db, sqlite };
}

test('a restore that was not finished is repeated with the same file alone, wherever it lies', async () => {
  const { db, sqlite } = await halfRestored();
  const before = contentsOf(sqlite);
  const directory = await tool.newDirectory();
  const [other, same] = ['other.sqlite', 'same file.sqlite'].map((name) =>
    path.join(directory, name),
  );
  await registry.done(['backup', other!]);
  expect(await restore(db, [], other)).toMatchObject({
    status: 1,
    stderr:
      'refused: this is another file, or these are other options: a restore of this database was not finished, ' +
      `and nothing can use it; restore again: npm run registry -- restore ${file} --remote\n`,
  });
  expect(contentsOf(sqlite)).toEqual(before);
  copyFileSync(file, same!);
  expect(await restore(db, [], same)).toMatchObject({ status: 0 });
  expect(usersOf(sqlite)).toEqual(refused);
});

test('a restore that was not finished is repeated with the same options alone', async () => {
  for (const [first, second] of [
    [[], ['--access-as-in-file']],
    [['--access-as-in-file'], []],
  ]) {
    const { db, sqlite } = await halfRestored(first);
    const { status, stderr } = await restore(db, second);
    expect(status).toBe(1);
    const command = ['restore', file, ...first!, '--remote'].join(' ');
    expect(stderr).toContain(`restore again: npm run registry -- ${command}\n`);
    const { stdout } = await restore(db, first);
    expect(stdout.includes('kept as it was: API user BOTH of BOTH: disabled_at')).toBe(
      first!.length === 0,
    );
    expect(usersOf(sqlite)).toEqual([{ username: 'BOTH', is_in: first!.length }]);
  }
});

test('a repeated restore gives no id again that a caller had seen before the first', async () => {
  const database = living();
  const { db, sqlite } = await database;
  sqlite.exec("update sqlite_sequence set seq = 70000000 where name = 'contacts'");
  sqlite.exec("insert into sqlite_sequence (name, seq) values ('contacts', 70000000)");
  await halfRestored([], database);
  await restore(db);
  const sequence = sqlite.prepare("select seq from sqlite_sequence where name = 'contacts'").get();
  expect(sequence).toEqual({ seq: 80_000_000 });
});

test('a restore that fails says what the database is then, and what to type', async () => {
  const { db, sqlite } = await living();
  const again = `npm run registry -- restore ${file} --remote`;
  const seen = new Set<string>();
  // A statement that fails once leaves a database that can be read.
  for (let calls = 1; seen.size < 2 && calls < 100; calls += 1) {
    let left = calls;
    const failing = {
      prepare: (text: string) => db.prepare(text),
      async batch(statements: D1PreparedStatement[]) {
        left -= 1;
        if (left === 0) throw new Error('D1 is down');
        return db.batch(statements);
      },
    } as unknown as D1Database;
    const { status, stderr } = await restore(failing);
    if (status === 0) break;
    const { mark } = await readState(db);
    const state = mark
      ? `a restore of this database was not finished, and nothing can use it; restore again: ${again}`
      : /has/.test(stderr)
        ? `the database has registrars: 1, contacts: 0, changes: 0, last change: ; to restore it, repeat: ${again}`
        : 'the database is as it was';
    expect(stderr).toBe(`failed: D1 is down; ${state}\n`);
    seen.add(mark ? 'emptied' : 'as it was');
  }
  expect([...seen].sort()).toEqual(['as it was', 'emptied']);
  expect(await restore(db)).toMatchObject({ status: 0 });
  expect(usersOf(sqlite)).toEqual(refused);
});

test('of two restores of one database at once, at most one is done, and a repeat mends what is left', async () => {
  const { db, sqlite } = await living();
  const { seen } = await readState(db);
  const mark = { command: 'restore it', input: '', before: '{}' };
  const first = await makeEmpty(db, mark, seen);
  await makeEmpty(db, mark);
  await expect(copyInto(db, file, first)).rejects.toThrow(
    'the database has changed meanwhile; stop the service',
  );
  expect((await readState(db)).mark).toBeDefined();
  expect(usersOf.bind(null, sqlite)).toThrow('no such table');
});

test('what a mark cannot hold is refused before anything is changed', async () => {
  const { db, sqlite } = await living();
  sqlite.exec(`update registrars set name = printf('%.*c', 2000000, 'x')`);
  const before = contentsOf(sqlite);
  const { status, stderr } = await restore(db);
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr:
      'refused: D1 cannot hold who may get in while the restore is not finished, as there are too many users: ' +
      'restore into a new database, or pass --access-as-in-file\n',
  });
  expect(contentsOf(sqlite)).toEqual(before);
  expect(await restore(db, ['--access-as-in-file'])).toMatchObject({ status: 0 });
});

test('refuses a deployed database if the clocks differ', async () => {
  const { db, sqlite } = await living();
  const before = contentsOf(sqlite);
  const now = Date.now() - 3_600_000;
  vi.useFakeTimers({ toFake: ['Date'], now, shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
  const { status, stderr } = await restore(db);
  expect(status).toBe(1);
  // A busy machine takes seconds to ask.
  expect(stderr).toMatch(
    /^refused: this machine's clock is -36\d\d seconds from the database's: set it\n$/,
  );
  expect(contentsOf(sqlite)).toEqual(before);
});

test('removes nothing if somebody has changed the registry since it was read', async () => {
  const { db, sqlite } = await living();
  const { seen } = await readState(db);
  sqlite.exec(entry);
  const before = contentsOf(sqlite);
  await expect(
    makeEmpty(db, { command: 'restore it', input: '', before: '{}' }, seen),
  ).rejects.toThrow('the database has changed meanwhile; stop the service');
  expect(contentsOf(sqlite)).toEqual(before);
});
