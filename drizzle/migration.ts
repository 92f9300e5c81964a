import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { refuseKeptOptions } from '../src/tool/project.ts';

/*
 * `npm run migration -- --name what_changed`: makes a migration of the changes of schema.ts, deletes the older snapshot, with which
 * the next migration is not compared, and names the migration in src/base/version.ts.
 */

refuseKeptOptions('migration', ['--name', '--custom']);
const root = path.join(import.meta.dirname, '..');
const kit = path.join(root, 'node_modules/.bin/drizzle-kit');
const options = { cwd: root, stdio: 'inherit' } as const;
const { status } = spawnSync(kit, ['generate', ...process.argv.slice(2)], options);
if (status !== 0) process.exit(status ?? 1);

const inOrder = (pattern: string) => globSync(pattern, { cwd: root }).sort();
for (const older of inOrder('migrations/meta/*_snapshot.json').slice(0, -1)) {
  rmSync(path.join(root, older));
}
const migration = path.basename(inOrder('migrations/*.sql').at(-1)!);
const file = path.join(root, 'src/base/version.ts');
const version = readFileSync(file, 'utf8');
writeFileSync(file, version.replace(/(newestMigration = ')[^']*/, `$1${migration}`));
