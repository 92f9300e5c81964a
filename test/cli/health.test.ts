import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { startTool, type TestRegistry } from './tool.ts';

const tool = startTool();

test('shows the lists, the rows of each table, the size of the database and the last runs', async () => {
  const registry = await tool.newRegistry();
  await registry.done(['registrar', 'add', '--code', 'ALPHA', '--name', 'Alpha OÜ']);
  await registry.done(['retained', 'add', 'tartu.ee', 'valga.ee', '--status', 'reserved']);

  const health = await registry.done(['health']);

  expect(health).toMatchObject({
    status: 'ok',
    alarms: [],
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    database: {
      is_reachable: true,
      maximum_bytes: 10_000_000_000,
      rows: { registrars: 1, retained_domains: 2, contacts: 0, cron_runs: 0 },
    },
    lists: { reserved: { count: 2, is_behind: false }, blocked: { count: null, is_behind: true } },
    cron_runs: [],
  });
  expect(health.database.bytes).toBeGreaterThan(10_000);
  const { status, stdout } = await registry.run(['health']);
  expect(status).toBe(0);
  expect(stdout).toMatch(/^status: +ok$/m);
  expect(stdout).toMatch(/^retained_domains +2$/m);
  expect(stdout).toMatch(/^reserved +2 +\S+ +up to date$/m);
});

test('fails when the last cron run failed, or a list has been behind for two minutes', async () => {
  const registry = await tool.newRegistry();
  await change(
    registry,
    `insert into cron_runs (cron, started_at, took_ms, failed)
     values ('31 * * * *', '2026-01-01T00:31:00.000Z', 7, '["sweep_lists"]')`,
    `insert into retained_domains (name, punycode, status, created_at)
     values ('tartu.ee', 'tartu.ee', 'blocked', '2026-01-01T00:00:00.000Z')`,
    "update retained_changes set at = '2026-01-01T00:00:00.000Z'",
  );

  const { status, stdout } = await registry.run(['health', '--json']);

  expect(status).toBe(1);
  const { alarms, cron_runs: runs } = JSON.parse(stdout);
  expect(alarms).toEqual([
    {
      alarm: 'failing',
      message: 'The list all has been behind its source since 2026-01-01T00:00:00.000Z.',
    },
    {
      alarm: 'failing',
      message: 'The list blocked has been behind its source since 2026-01-01T00:00:00.000Z.',
    },
    { alarm: 'cron_failed', message: 'The last cron run failed to do sweep_lists.' },
  ]);
  expect(runs).toEqual([
    {
      cron: '31 * * * *',
      started_at: '2026-01-01T00:31:00.000Z',
      took_ms: 7,
      failed: ['sweep_lists'],
    },
  ]);
});

/** Changes the database's file, which no runtime has open yet. */
async function change({ directory }: TestRegistry, ...statements: string[]): Promise<void> {
  const folder = path.join(directory, 'v3/d1/miniflare-D1DatabaseObject');
  const file = (await readdir(folder)).find((name) => /^[0-9a-f]+\.sqlite$/.test(name))!;
  using database = new DatabaseSync(path.join(folder, file));
  for (const statement of statements) database.exec(statement);
}
