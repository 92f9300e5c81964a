import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type DatabaseCall, databaseOver } from '../../src/cli/local/http-bindings.ts';
import { applyMigrations, findMissingMigrations } from '../../src/cli/migrate.ts';
import { contentsOf, summaryOf } from '../../src/cli/nouns/backup/contents.ts';
import { copyInto, makeEmpty, rowsToLose } from '../../src/cli/nouns/backup/copy.ts';
import { writeBackup } from '../../src/cli/nouns/backup/file.ts';

/** A process that is killed runs nothing further, and neither does this database. */
class Killed extends Error {}

/** A database of the test's own, which ends before one of its statements, or during a batch. */
function newDatabase(sqlite: DatabaseSync) {
  let done = 0;
  let last = Number.POSITIVE_INFINITY;
  const read = ({ sql, params }: DatabaseCall['statements'][number]) => {
    if (done >= last) throw new Killed();
    done += 1;
    const statement = sqlite.prepare(sql);
    return statement.all(...(params as SQLInputValue[]));
  };
  const db = databaseOver(async ({ statements }) => {
    sqlite.exec('begin');
    try {
      const result = statements.map((statement) => ({ success: true, results: read(statement) }));
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

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'registry-killed-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

const insertRegistrar = (code: string) =>
  `insert into registrars (code, name, created_at, updated_at) values ('${code}', 'R', '', '')`;

test('a restore that is killed at any of its statements leaves the old database, the new one, or one that is refused', async () => {
  using source = new DatabaseSync(':memory:');
  await applyMigrations(newDatabase(source).db);
  source.exec(insertRegistrar('NEW'));
  source.exec(`insert into api_users (registrar_id, username, secret_digest, secret_changed_at, created_at, updated_at)
    values (1, 'u', '${'0'.repeat(64)}', '', '', '')`);
  const file = path.join(directory, 'backup.sqlite');
  const backedUp = await writeBackup(file, async (target) => {
    source.prepare('vacuum into ?').run(target);
  });
  const restore = async (db: D1Database) => {
    await makeEmpty(db, { command: 'restore it', confirmed: undefined });
    await copyInto(db, file, summaryOf(backedUp).rows);
  };
  const seen = new Set<string>();
  using sqlite = new DatabaseSync(':memory:');
  const { db, killAfter, done } = newDatabase(sqlite);
  await applyMigrations(db);
  killAfter(Number.POSITIVE_INFINITY);
  await restore(db);
  const total = done();
  // The first and the last are the dearest to get wrong.
  const few = [0, 10, total - 100, total - 1, total];
  const moments = inject('isDeep') ? Array.from({ length: total + 1 }, (_, n) => n) : few;
  for (const statements of moments) {
    sqlite.exec(insertRegistrar('OLD'));
    const before = contentsOf(sqlite);

    killAfter(statements);
    const end = await restore(db).then(
      () => 'whole',
      (error) => {
        if (!(error instanceof Killed)) throw error;
        return 'killed';
      },
    );
    killAfter(Number.POSITIVE_INFINITY);

    const state = await findMissingMigrations(db).catch((error: Error) => error.message);
    const isRefused = typeof state === 'string';
    if (isRefused) expect(state).toContain('restore again: restore it');
    else expect(contentsOf(sqlite)).toEqual(end === 'whole' ? backedUp : before);
    seen.add(`${end}, ${isRefused ? 'refused' : 'accepted'}`);

    await restore(db);
    expect(await findMissingMigrations(db)).toEqual([]);
    expect(contentsOf(sqlite)).toEqual(backedUp);
  }
  expect([...seen]).toEqual(['killed, accepted', 'killed, refused', 'whole, accepted']);
});

test('removes nothing if the database has other rows than were confirmed', async () => {
  using sqlite = new DatabaseSync(':memory:');
  const { db } = newDatabase(sqlite);
  await applyMigrations(db);
  sqlite.exec(insertRegistrar('OLD'));
  const confirmed = await rowsToLose(db);
  expect(new Map([...confirmed].filter(([, count]) => count > 0))).toEqual(
    new Map([
      ['list_sources', 1],
      ['registrars', 1],
    ]),
  );
  for (const change of [
    insertRegistrar('LATER'),
    // In a table that was empty.
    `delete from registrars where code = 'LATER';
      insert into retained_domains (name, punycode, status, created_at) values ('a.ee', 'a.ee', 'reserved', '')`,
    // As many as there were, but others.
    `delete from registrars;
      delete from retained_domains;
      insert into retained_domains (name, punycode, status, created_at) values ('a.ee', 'a.ee', 'reserved', '')`,
  ]) {
    sqlite.exec(change);
    const before = contentsOf(sqlite);

    await expect(makeEmpty(db, { command: 'restore it', confirmed })).rejects.toThrow(
      'the database has changed since you were asked; nothing was removed',
    );

    expect(contentsOf(sqlite)).toEqual(before);
  }
  await makeEmpty(db, { command: 'restore it', confirmed: await rowsToLose(db) });
  // A database that an unfinished restore has left is replaced without a question.
  expect(await rowsToLose(db)).toEqual(new Map());
});
