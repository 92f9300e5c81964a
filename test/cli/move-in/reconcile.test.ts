import { afterEach, beforeEach, expect, test } from 'vitest';
import { openLocalData } from '../../../src/cli/local.ts';
import { setClockAhead } from '../../../src/clock.ts';
import { runCron } from '../../../src/cron.ts';
import { startTool, type TestRegistry } from '../tool.ts';
import { type Files, row, smallRegistry, writeFiles } from './files.ts';

const tool = startTool();
let registry: TestRegistry;
let directory: string;

beforeEach(async () => {
  registry = await tool.newRegistry();
  directory = await tool.newDirectory();
});
afterEach(() => setClockAhead(0));

async function moveIn(files: Files) {
  writeFiles(directory, files);
  await registry.done(['move-in', directory]);
}

async function reconcile() {
  const { status, stdout } = await registry.run(['reconcile', directory, '--json']);
  return { status, ...JSON.parse(stdout) };
}

test('excuses a refused row only if the report names the value that it has now', async () => {
  const files = smallRegistry();
  files.domains!.push(row.domain('kadunud.ee', '#98'));
  await moveIn(files);
  expect(await reconcile()).toMatchObject({ status: 0, unreported: 0 });
  files.domains![2]!.registrar = '#99';
  writeFiles(directory, files);
  expect(await reconcile()).toMatchObject({
    status: 1,
    unreported: 1,
    differences: [
      { file: 'domains.csv', key: 'kadunud.ee', columns: ['registrar'], reported: false },
    ],
  });
});

test('excuses a conflict only if the report names the values that the file has now', async () => {
  const files = smallRegistry();
  await moveIn(files);
  await registry.done(['registrar', 'update', 'ALPHA', '--name', 'Alfa']);
  await moveIn(files);
  expect(await reconcile()).toMatchObject({ status: 0, equal: false, unreported: 0 });
  files.registrars![0]!.name = 'Alpha';
  writeFiles(directory, files);
  expect(await reconcile()).toMatchObject({ status: 1, unreported: 1 });
});

test('expects no reserved name that the cron has ended, and every dispute that is over', async () => {
  const today = new Date().toISOString().slice(0, 10);
  await moveIn({
    reserved: [row.reserved('kinni.ee', { last_day: today }), row.reserved('riigikogu.ee')],
    disputes: [row.dispute('tuli.ee', '2016-01-01', { last_day: today })],
  });
  setClockAhead(24 * 60 * 60 * 1000);
  expect(await reconcile()).toMatchObject({ status: 0, equal: true });
  await registry.edit('');
  const { env, dispose } = await openLocalData(registry.directory);
  await runCron('1 0 * * *', env, {});
  await dispose();
  const { retained_domains, disputes } = await registry.rows();
  expect([retained_domains, disputes]).toMatchObject([[{ name: 'riigikogu.ee' }], [{}]]);
  expect(await reconcile()).toMatchObject({
    ...{ status: 0, equal: true, differences: [] },
    kinds: [{ kind: 'reserved', rows_in_files: 1, rows_here: 1 }, { kind: 'disputes' }],
  });
});

test('shows a hundred differences on the terminal, and all of them with --json', async () => {
  const names = Array.from({ length: 1_101 }, (_, n) => row.reserved(`kinni${n}.ee`));
  writeFiles(directory, { reserved: names });
  const { status, stdout } = await registry.run(['reconcile', directory]);
  expect(status).toBe(1);
  expect(stdout.match(/only in the files/g)).toHaveLength(100);
  expect(stdout).toContain('1001 more differences; --json shows all');
  const { differences, equal } = await reconcile();
  expect(equal).toBe(false);
  expect(new Set(differences.map(({ key }: { key: string }) => key)).size).toBe(1_101);
});
