import { readFile, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it, test } from 'vitest';
import { archiveHistory } from '../../src/cli/nouns/history/archive.ts';
import { openDatabase } from '../../src/database/open.ts';
import { Faults } from '../attack/faults.ts';
import { aroundBatches, beforeBatch } from '../support/meanwhile.ts';
import { shareEmptyWorker } from '../support/worker.ts';
import { addEntries, idsLeft, idsOf, insertEntries, numbers } from './archived.ts';
import { startTool, type TestRegistry } from './tool.ts';

const tool = startTool();

async function registryWith(entries: number): Promise<TestRegistry> {
  const registry = await tool.newRegistry();
  await addEntries(registry, entries);
  return registry;
}

it('history archive moves what is older than a day to a file, in the form of history', async () => {
  const registry = await registryWith(100);
  const file = path.join(registry.directory, 'history.ndjson');
  const { history: shown } = await registry.done('history contact ALPHA:1');
  const args = ['history', 'archive', '--before', '2020-01-03', '--to', file];
  const report = { before: '2020-01-03', file, from: '2020-01-01T01:00:00.000Z' };
  const until = '2020-01-02T23:00:00.000Z';
  expect(await registry.done([...args, '--dry-run'])).toEqual({
    ...report,
    until,
    archived: 47,
    written: 0,
    changed: false,
  });
  expect(await idsLeft(registry)).toEqual(numbers(1, 100));
  await expect(stat(file)).rejects.toThrow('ENOENT');
  expect(await registry.done(args)).toEqual({
    ...report,
    until,
    archived: 47,
    written: 47,
    changed: true,
  });
  expect(await idsLeft(registry)).toEqual(numbers(48, 100));
  const text = await readFile(file, 'utf8');
  expect(idsOf(text)).toEqual(numbers(1, 47));
  expect(JSON.parse(text.slice(0, text.indexOf('\n')))).toEqual({ id: 1, ...shown[0] });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const later = ['history', 'archive', '--before', '2020-01-04', '--to', file];
  expect((await registry.run(later)).stdout).toBe(
    `archived 24 entries from before 2020-01-04 to ${file}\n`,
  );
  expect(idsOf(await readFile(file, 'utf8'))).toEqual(numbers(1, 71));
}, 120_000);

it('history archive keeps the newest entry, so that its id is never given again', async () => {
  const registry = await registryWith(3);
  const file = path.join(registry.directory, 'history.ndjson');
  await registry.done(['history', 'archive', '--before', '2025-01-01', '--to', file]);
  expect(await idsLeft(registry)).toEqual([3]);
}, 120_000);

it('history archive takes no entry that follows one that stays, even if it is older by its time', async () => {
  const registry = await registryWith(30);
  // The hours begin again, as if these were written with another clock.
  await addEntries(registry, 30);
  const file = path.join(registry.directory, 'history.ndjson');
  const args = ['history', 'archive', '--before', '2020-01-02', '--to', file];
  for (const how of [['--dry-run'], []]) {
    expect(await registry.done([...args, ...how])).toMatchObject({ archived: 23 });
  }
  expect(await idsLeft(registry)).toEqual(numbers(24, 60));
}, 120_000);

it('history archive refuses a day that is not over, and a file that is something else', async () => {
  const registry = await registryWith(3);
  const file = await registry.file('notes.txt', 'Some notes');
  const today = new Date().toISOString().slice(0, 10);
  const archive = (before: string) =>
    registry.run(['history', 'archive', '--before', before, '--to', file]);
  expect(await archive(today)).toMatchObject({
    status: 1,
    stderr: 'refused: --before must be a day before today [before]\n',
  });
  expect(await archive('2020')).toMatchObject({ status: 2 });
  expect(await archive('2025-01-01')).toMatchObject({
    status: 1,
    stderr: `refused: ${file}: line 1 is not an entry of history; name a new file, or one that history archive has written\n`,
  });
  expect(await readFile(file, 'utf8')).toBe('Some notes');
  expect((await registry.rows()).history_archives).toMatchObject([{ file: null, run: null }]);
}, 120_000);

describe('an archive that is interrupted', () => {
  const worker = shareEmptyWorker();
  const before = '2025-01-01T00:00:00.000Z';
  let file: string;
  let newest: number;
  let first: number;
  beforeEach(async () => {
    file = path.join(await tool.newDirectory(), 'history.ndjson');
    await archiveHistory(worker.db, before, `${file}.before`, { isForced: true });
    await worker.env.DB.prepare(insertEntries).bind(14).run();
    const ids = await left();
    [first, newest] = [ids[0]!, ids.at(-1)!];
  });

  const left = async () => {
    const { results } = await worker.env.DB.prepare('select id from history order by id').all();
    return results.map(({ id }) => id as number);
  };
  const archive = (db = worker.db, name = file) => archiveHistory(db, before, name, { limit: 6 });
  /** Each entry is in the file once, and only the newest in the database. */
  async function expectDone() {
    const ids = idsOf(await readFile(file, 'utf8'));
    expect(ids).toEqual(numbers(first, newest - 1));
    expect(await left()).toEqual([newest]);
    const { results } = await worker.env.DB.prepare(
      'select 1 from history_permits union all select 1 from history_archives where file is not null',
    ).all();
    expect(results).toEqual([]);
  }
  const faulty = (call: number, isDone: boolean) => {
    const faults = new Faults({ message: 'D1_ERROR: killed here', isDone }, (n) => n === call);
    return { faults, db: openDatabase(faults.wrap(worker.env).DB) };
  };

  /** A first page is written to the file, and not deleted from the database. */
  async function writeFirstPage() {
    const db = aroundBatches(worker.env, () => Promise.reject(new Error('killed here')));
    await expect(archive(db)).rejects.toThrow('killed here');
  }

  test('an interrupted archive is finished by repeating it, at whichever call of the database it stopped', async () => {
    let faults = 0;
    for (let call = 0; ; call++) {
      let isOver = false;
      for (const isDone of [true, false]) {
        const { db } = faulty(call, isDone);
        const stopped = await archive(db).then(
          () => false,
          () => true,
        );
        if (stopped) {
          faults += 1;
          await archive();
        } else isOver = true;
        await expectDone();
        await worker.env.DB.prepare(insertEntries).bind(14).run();
        const ids = await left();
        [first, newest] = [ids[0]!, ids.at(-1)!];
        await truncate(file);
      }
      if (isOver) break;
    }
    expect(faults).toBeGreaterThan(12);
  });

  test('an interrupted archive is finished by repeating it, wherever its last write was cut off', async () => {
    await writeFirstPage();
    const bytes = await readFile(file);
    expect(idsOf(bytes.toString())).toEqual(numbers(first, first + 5));
    for (let length = 0; length <= bytes.length; length += 97) {
      await writeFile(file, bytes.subarray(0, length));
      await writeFirstPage();
      expect((await readFile(file)).equals(bytes)).toBe(true);
    }
    await archive();
    await expectDone();
  });

  test('an interrupted archive is not taken to another file, unless it is lost', async () => {
    await writeFirstPage();
    await expect(archive(worker.db, `${file}.other`)).rejects.toThrow(
      `the archive to ${file} is not finished: repeat it with --to ${file}, or, if that file is lost, use --force`,
    );
    await archiveHistory(worker.db, before, `${file}.other`, { isForced: true });
    expect(idsOf(await readFile(`${file}.other`, 'utf8'))).toEqual(numbers(first, newest - 1));
  });

  test('an interrupted archive is stopped by the one that takes over, and neither writes an entry twice', async () => {
    let takenOver: Promise<unknown> | undefined;
    // Between the first one's write to the file and its deletion of what it wrote, the second one does all.
    const first = archive(beforeBatch(worker.env, 1, () => (takenOver = archive())));
    await expect(first).rejects.toThrow('another history archive has taken over');
    await takenOver;
    await expectDone();
  });

  test('an archive does not mix two registries, and says how to take another file', async () => {
    const [id] = await left();
    await writeFile(
      file,
      `${JSON.stringify({ id, occurred_at: before, subject: 'auction', key: 'x.ee', request_id: null })}\n`,
    );
    await expect(archive()).rejects.toThrow(
      `${file} has another entry ${id}: it is the archive of another registry, or of this one before a restore; name another file, and add --force`,
    );
    expect(await left()).toContain(id);
    await archiveHistory(worker.db, before, `${file}.other`, { isForced: true });
    expect(idsOf(await readFile(`${file}.other`, 'utf8'))).toEqual(numbers(first, newest - 1));
  });
});

describe('a permit to archive', () => {
  const worker = shareEmptyWorker();
  test('a permit to archive covers the entries that it names, and does not let them be changed', async () => {
    await worker.env.DB.prepare(insertEntries).bind(5).run();
    const permitted = (statement: string) =>
      worker.env.DB.batch([
        worker.env.DB.prepare("insert into history_permits values (1, 'archive', 2, 3)"),
        worker.env.DB.prepare(statement),
        worker.env.DB.prepare('delete from history_permits'),
      ]);
    const refused = 'history is append-only';
    await expect(permitted('delete from history')).rejects.toThrow(refused);
    await expect(permitted('delete from history where id = 4')).rejects.toThrow(refused);
    await expect(
      permitted(`update history set changes = '{"name":{"removed":true}}' where id = 2`),
    ).rejects.toThrow(refused);
    await permitted('delete from history where id in (2, 3)');
    await expect(worker.env.DB.prepare('delete from history').run()).rejects.toThrow(refused);
  });
});
