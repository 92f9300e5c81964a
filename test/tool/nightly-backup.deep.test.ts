import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, expect, test } from 'vitest';
import { fill, rowsOf } from './filled.ts';
import { startTool, TestRegistry } from './tool.ts';

const tool = startTool();

beforeEach(({ skip }) => {
  if (process.platform !== 'linux') skip('nightly backups are written on Linux');
});
const run = promisify(execFile);

/** Stands in for the AWS CLI, with a directory as the store, for the monitor, and for the clock. */
const standIns = {
  aws: `#!/bin/sh
[ "$1 $2 $3 $4 $5" = "s3 cp --no-progress --endpoint-url https://r2.example" ] || exit 1
case $6 in "$RUNNER_TEMP"/*) ;; *) exit 1 ;; esac
file=$STORE/\${7#s3://}
mkdir -p "$(dirname "$file")" && cp "$6" "$file"`,
  curl: `#!/bin/sh
for url; do :; done
ls "$STORE/backups/daily" > "$STORE/$(basename "$url")"`,
  date: `#!/bin/sh
exec /usr/bin/date -d "$NOW" "$@"`,
};

async function startNights() {
  const registry = await tool.newRegistry();
  await fill(registry);
  const directory = await tool.newDirectory();
  const [bin, store, temporary] = ['bin', 'store', 'temporary'].map((name) =>
    path.join(directory, name),
  ) as [string, string, string];
  await Promise.all([bin, store, temporary].map((name) => mkdir(name)));
  for (const [name, script] of Object.entries(standIns)) {
    await writeFile(path.join(bin, name), script);
    await chmod(path.join(bin, name), 0o755);
  }
  const backUp = (now: string, directory = registry.directory, event = 'schedule') =>
    run('.ci/backup', ['--persist-to', directory], {
      env: {
        ...process.env,
        PATH: `${bin}:${process.env.PATH}`,
        BACKUP_BUCKET: 'backups',
        BACKUP_ENDPOINT: 'https://r2.example',
        STORE: store,
        NOW: now,
        RUNNER_TEMP: temporary,
        GITHUB_EVENT_NAME: event,
        BACKUP_PING_URL: 'https://monitor.example/pinged',
      },
    });
  const stored = async () => {
    const entries = await readdir(path.join(store, 'backups'), { recursive: true });
    return entries.filter((name) => name.endsWith('.sqlite')).sort();
  };
  return { registry, store, temporary, backUp, stored };
}

test('each night has a verified file, from which a drill restores every row', async () => {
  const { registry, store, temporary, backUp, stored } = await startNights();

  const { stdout } = await backUp('2026-11-24T01:17:00Z');

  expect(stdout).toContain('is whole: ');
  expect(await stored()).toEqual(['daily/registry-2026-11-24T0117Z.sqlite']);
  // Its own files are gone, and it reported to the monitor after the backup was stored.
  expect(await readdir(temporary)).toEqual([]);
  expect(await readFile(path.join(store, 'pinged'), 'utf8')).toBe(
    'registry-2026-11-24T0117Z.sqlite\n',
  );

  // The drill of the runbook.
  const file = path.join(store, 'backups/daily/registry-2026-11-24T0117Z.sqlite');
  const drill = new TestRegistry(path.join(await tool.newDirectory(), 'drill'));
  await drill.done(['backup', 'verify', file]);
  await drill.done(['restore', file]);
  expect(await rowsOf(drill)).toEqual(await rowsOf(registry));
  expect((await drill.run(['health'])).status).toBe(0);
});

test('a Sunday has a file for five weeks, and the first of a month one for a year', async () => {
  const { backUp, stored } = await startNights();
  await backUp('2026-11-29T01:17:00Z');
  await backUp('2026-12-01T01:17:00Z');
  expect(await stored()).toEqual([
    'daily/registry-2026-11-29T0117Z.sqlite',
    'daily/registry-2026-12-01T0117Z.sqlite',
    'monthly/registry-2026-12-01T0117Z.sqlite',
    'weekly/registry-2026-11-29T0117Z.sqlite',
  ]);
});

test('a backup by hand is kept as any of them, because the night that it repeats may have been', async () => {
  const { registry, backUp, stored } = await startNights();
  await backUp('2026-12-02T08:30:00Z', registry.directory, 'workflow_dispatch');
  const name = 'registry-2026-12-02T0830Z.sqlite';
  expect(await stored()).toEqual([`daily/${name}`, `monthly/${name}`, `weekly/${name}`]);
});

test('a night without a backup fails, stores nothing, and leaves the monitor waiting', async () => {
  const { registry, store, backUp, stored } = await startNights();
  await expect(backUp('2026-11-24T01:17:00Z', `${registry.directory}/none`)).rejects.toThrow();
  await expect(stored()).rejects.toThrow('ENOENT');
  expect(await readdir(store)).toEqual([]);
});
