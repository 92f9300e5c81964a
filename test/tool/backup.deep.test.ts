import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { findDatabaseFile } from '../../src/tool/local/file.ts';
import { contentsOf } from '../../src/tool/nouns/backup/copy.ts';
import { readSeal } from '../../src/tool/nouns/backup/file.ts';
import { fill } from './filled.ts';
import { killGroup, startTool, type TestRegistry } from './tool.ts';

const tool = startTool();

/** Kills the command after so many milliseconds; false if it had ended. */
async function isKilledAfter(milliseconds: number, of: TestRegistry, args: string[]) {
  const child = of.start(args, true);
  onTestFinished(() => killGroup(child));
  const closed = once(child, 'close');
  await Promise.race([closed, setTimeout(milliseconds)]);
  const isKilled = child.exitCode === null;
  killGroup(child);
  await closed;
  return isKilled;
}

test('a backup that is killed at any moment leaves no file, or a whole one', async () => {
  const registry = await tool.newRegistry();
  await fill(registry);
  const file = path.join(registry.directory, 'killed.sqlite');
  for (const milliseconds of [150, 300, 450]) {
    await isKilledAfter(milliseconds, registry, ['backup', file]);
    if (!existsSync(file)) continue;
    expect((await readSeal(file)).tables.contacts?.rows).toBe(499);
    rmSync(file);
  }
});

/** The contents of a local database, but for what publishing notes. */
function contentsIn({ directory }: TestRegistry) {
  using database = new DatabaseSync(findDatabaseFile(directory, undefined)!, { timeout: 5_000 });
  const { history, contacts, registrars, sqlite_schema } = contentsOf(database);
  return { history, contacts, registrars, sqlite_schema };
}

test('a local restore that is killed at any moment leaves the old registry or the new one', async () => {
  const [registry, restored] = [await tool.newRegistry(), await tool.newRegistry('OTHER')];
  await fill(registry);
  {
    using database = new DatabaseSync(findDatabaseFile(registry.directory, undefined)!);
    // Enough pages for a kill to meet the copying.
    database.exec(`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 10000)
      insert into history (occurred_at, subject, subject_key, action, actor_type, actor, changes)
      select '2026-11-21', 'contact', 'ALPHA:' || n, 'update', 'operator', '', json_object('name', hex(randomblob(900)))
        from numbers`);
  }
  const directory = await tool.newDirectory();
  const [file, old] = [path.join(directory, 'new.sqlite'), path.join(directory, 'old.sqlite')];
  await registry.done(['backup', file]);
  await restored.done(['backup', old]);
  await restored.done(['restore', old, '--yes', '--access-as-in-file']);
  const before = contentsIn(restored);
  const startedAt = performance.now();
  await restored.spawn(['restore', file, '--yes']);
  const duration = performance.now() - startedAt;
  const after = contentsIn(restored);
  const kills = 4;
  // A killed process leaves its copy.
  vi.stubEnv('TMPDIR', directory);
  onTestFinished(() => void vi.unstubAllEnvs());
  const seen = new Set<string>();
  for (let kill = 0; kill < kills; kill += 1) {
    await restored.spawn(['restore', old, '--yes', '--access-as-in-file']);
    const args = ['restore', file, '--yes'];
    await isKilledAfter((duration * (kill + 2)) / (kills + 2), restored, args);
    const found = contentsIn(restored);
    const isOld = isDeepStrictEqual(found, before);
    if (!isOld) expect(found.contacts).toEqual(after.contacts);
    expect(await restored.run('registrar list')).toMatchObject({ status: 0 });
    seen.add(isOld ? 'old' : 'new');
  }
  expect(seen).toContain('old');
}, 600_000);

/** A tool with nothing to do needs 32 MiB of heap. */
const megabytes = 32 + 64;

/** Starts Node with a limited heap. */
function limitedNode(...args: string[]) {
  return spawn(process.execPath, [`--max-old-space-size=${megabytes}`, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

const sources = path.resolve('src/tool');
const script = (text: string) => limitedNode('--input-type=module', '--eval', text);

async function outputOf(child: ReturnType<typeof limitedNode>): Promise<string> {
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (child.exitCode === null) await once(child, 'close');
  if (child.exitCode !== 0) throw new Error(output + errors);
  return output;
}

/** The tables of a backup, and the rows of its history, in the form of an export. */
function writeDump(backup: string, file: string): void {
  using database = new DatabaseSync(backup, { readOnly: true });
  const all = database.prepare(`
    select sql as line from sqlite_schema where type = 'table' and name not glob 'sqlite_*'
    union all select format(
      'insert into history (id, occurred_at, subject, subject_key, action, actor_type, actor, changes)
        values (%d, %Q, %Q, %Q, %Q, %Q, %Q, %Q)',
      id, occurred_at, subject, subject_key, action, actor_type, actor, changes) from history`);
  const descriptor = openSync(file, 'w');
  for (const { line } of all.iterate()) writeSync(descriptor, `${line};\n`);
  closeSync(descriptor);
}

test('writes, restores and compares a database, and reads an export, that are larger than memory', async () => {
  const registry = await tool.newRegistry();
  {
    using database = new DatabaseSync(findDatabaseFile(registry.directory, undefined)!);
    database.exec(`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 70000)
      insert into history (occurred_at, subject, subject_key, action, actor_type, actor, changes)
      select '2026-11-21', 'contact', 'ALPHA:' || n, 'update', 'operator', 'Õ''Brien',
        json_object('name', json_object('from', hex(randomblob(900)), 'to', 'õ;')) from numbers`);
  }
  const directory = await tool.newDirectory();
  const file = path.join(directory, 'large.sqlite');
  const run = (...args: string[]) => outputOf(limitedNode('src/tool/index.ts', ...args));
  await run('backup', file, '--persist-to', registry.directory);
  expect(statSync(file).size).toBeGreaterThan(megabytes * 1024 * 1024);
  expect(await run('backup', 'verify', file)).toMatch(/is whole: 700\d\d rows/);

  const sql = path.join(directory, 'large.sql');
  writeDump(file, sql);
  const loaded = path.join(directory, 'loaded.sqlite');
  await outputOf(
    script(`import { loadSql } from '${sources}/nouns/backup/load-sql.ts';
      await loadSql(${JSON.stringify(sql)}, ${JSON.stringify(loaded)});`),
  );
  using exported = new DatabaseSync(loaded);
  expect(contentsOf(exported).history).toEqual((await readSeal(file)).tables.history);
}, 300_000);

test('leaves nothing behind when it is interrupted, and says so', async () => {
  const file = path.join(await tool.newDirectory(), 'interrupted.sqlite');
  const child = script(
    `import { writeFileSync } from 'node:fs';
    import { endAtInterrupt } from '${sources}/report/interrupt.ts';
    import { writeBackup } from '${sources}/nouns/backup/file.ts';
    endAtInterrupt();
    await writeBackup(${JSON.stringify(file)}, async (target) => {
      writeFileSync(target + '.sql', 'half an export');
      console.log('begun');
      await new Promise((done) => setTimeout(done, 60_000));
    });`,
  );
  let said = '';
  child.stderr.on('data', (text) => (said += text));
  await once(child.stdout, 'data');
  expect(readdirSync(path.dirname(file))).toHaveLength(1);
  child.kill('SIGINT');
  const [status] = await once(child, 'close');
  expect({ status, said }).toEqual({ status: 130, said: 'interrupted\n' });
  expect(readdirSync(path.dirname(file))).toEqual([]);
});
