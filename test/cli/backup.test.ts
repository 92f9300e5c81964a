import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { checkBackup } from '../../src/cli/nouns/backup/file.ts';
import { startTool, TestRegistry } from './tool.ts';

const tool = startTool();
let registry: TestRegistry;

beforeAll(async () => {
  registry = await tool.newRegistry();
  await registry.done(['registrar', 'add', '--code', 'ALPHA', '--name', 'Alpha OÜ']);
  const header = 'code,name,email,phone,ident,ident_type,ident_country_code\n';
  const rows = Array.from(
    { length: 500 },
    (_, n) => `ALPHA:${n},Mari ${n},mari@example.ee,+372.5123456,38001085718,priv,EE\n`,
  );
  await registry.done(['contact', 'import', '-'], header + rows.join(''));
  await registry.done(['contact', 'delete', 'ALPHA:499']);
  const domains = 'name,registrar,registrant\na.ee,ALPHA,ALPHA:1\n';
  await registry.done(['domain', 'import', '-'], domains);
  await registry.done(['retained', 'add', 'õ.ee', '--status', 'reserved']);
});

/** What the registry consists of; publishing keeps notes of its own. */
async function rowsOf(of: TestRegistry) {
  const { registrars, contacts, domains, domain_contacts, retained_domains, history } =
    await of.rows();
  return { registrars, contacts, domains, domain_contacts, retained_domains, history };
}

async function newPlace(name: string): Promise<TestRegistry> {
  return new TestRegistry(path.join(await tool.newDirectory(), name));
}

test('restores a backup into an empty database, row by row the same, and publishes its lists', async () => {
  const file = path.join(registry.directory, 'backup.sqlite');
  expect(await registry.done(['backup', file])).toMatchObject({ file, tables: expect.any(Number) });
  // It has everybody's data.
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
  expect((await registry.run(['backup', file])).stderr).toContain('already exists [file]');
  const restored = await newPlace('restored');
  expect(await restored.done(['restore', file])).toMatchObject({ changed: true });
  expect(await rowsOf(restored)).toEqual(await rowsOf(registry));
  const { lists } = await restored.done(['lists', 'status']);
  expect(lists).toMatchObject([{ behind: false }, { count: 1 }, { count: 1 }, {}, {}]);
  // The id of a deleted contact is not used again.
  const next =
    'code,name,email,phone,ident,ident_type,ident_country_code\nALPHA:N,M,m@example.ee,+372.1,1,org,LV\n';
  for (const each of [registry, restored]) await each.done(['contact', 'import', '-'], next);
  const ids = await Promise.all(
    [registry, restored].map(async (each) =>
      (await each.rows()).contacts!.map((row) => (row as { id: number }).id),
    ),
  );
  expect(ids[1]).toEqual(ids[0]);
  expect((await restored.run(['restore', file])).stderr).toContain('the database is not empty');
});

test('leaves nothing behind if there is nothing to back up', async () => {
  const place = await newPlace('nowhere');
  const file = path.join(await tool.newDirectory(), 'backup.sqlite');
  expect((await place.run(['backup', file])).status).toBe(1);
  expect(readdirSync(path.dirname(file))).toEqual([]);
});

test('refuses a file that is not a whole backup', async () => {
  const place = await newPlace('none');
  const whole = path.join(registry.directory, 'whole.sqlite');
  await registry.done(['backup', whole]);
  const half = `${whole}.half`;
  writeFileSync(half, readFileSync(whole).subarray(0, 40_000));
  expect((await place.run(['restore', half])).stderr).toContain('is not a whole backup');
  expect((await place.run(['restore', `${whole}.none`])).stderr).toContain('there is no file');
  expect(existsSync(place.directory)).toBe(false);
});

test('can be killed at any moment and repeated', async () => {
  const file = path.join(registry.directory, 'killed.sqlite');
  const restored = await newPlace('killed');
  const killAfter = async (of: TestRegistry, args: string[], milliseconds: number) => {
    const child = of.start(args, true);
    // The local runtime outlives a tool that is killed.
    const kill = () => {
      try {
        process.kill(-child.pid!, 'SIGKILL');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    };
    onTestFinished(kill);
    const closed = new Promise((resolve) => child.once('close', resolve));
    await Promise.race([closed, setTimeout(milliseconds)]);
    kill();
    await closed;
  };
  for (const milliseconds of [150, 300, 450]) {
    await killAfter(registry, ['backup', file], milliseconds);
    // Either there is no file of this name, or it is whole.
    if (!existsSync(file)) continue;
    expect(checkBackup(file).rows).toBeGreaterThan(500);
    rmSync(file);
  }
  await registry.done(['backup', file]);
  for (const milliseconds of [1_500, 2_500]) {
    await killAfter(restored, ['restore', file], milliseconds);
    const { status, stderr } = await restored.run(['registrar', 'list']);
    if (status !== 0) expect(stderr).toMatch(/lacks|no local database/);
  }
  const again = await restored.run(['restore', file]);
  if (again.status !== 0) expect(again.stderr).toContain('the database is not empty');
  expect(await rowsOf(restored)).toEqual(await rowsOf(registry));
});
