import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { RegistryError } from '../../../base/error.ts';
import { countText } from '../../../view/text.ts';
import { bare, noun, parsePath, readCommand } from '../../command.ts';
import { temporaryDirectory } from '../../files/temporary.ts';
import { databaseFileOf, openFile } from '../../local/file.ts';
import { localDirectory } from '../../project.ts';
import { report, verb } from '../../run.ts';
import { contentsOf, copyInto, countContents } from './copy.ts';
import { readSeal, writeBackup } from './file.ts';
import { loadSql } from './load-sql.ts';

const write = verb(
  readCommand('write', 'backup write registry-2026-11-21.sqlite', 'backup registry.sqlite --remote')
    .description('Write the whole database to one file; the word write may be left out')
    .argument('<file>', 'the SQLite file to write; it must not exist yet', parsePath)
    .addHelpText(
      'after',
      `
The file contains everything: identity codes, auth_info, digests of secrets, history. Only you can read it. It is
checked before it gets its name. A deployed database serves no requests while it is exported.`,
    ),
  async (_registry, name, options) => {
    const file = path.resolve(name);
    const { tables: contents } = await writeBackup(file, async (target) => {
      if (options.remote) await exportRemote(target, options.env ?? 'production');
      else copyLocal(localDirectory(options.persistTo), options.env, target);
    });
    const { tables, rows } = countContents(contents);
    return {
      data: { file, bytes: statSync(file).size, tables, rows },
      text: `wrote ${countText(rows, 'row')} of ${countText(tables, 'table')} to ${name}`,
    };
  },
);

/** Copies the state at one moment, while others may write. */
function copyLocal(directory: string, environment: string | undefined, target: string): void {
  using source = new DatabaseSync(databaseFileOf(directory, environment), { timeout: 30_000 });
  source.prepare('vacuum into ?').run(target);
}

/** The database serves no requests until wrangler begins to download. */
async function exportRemote(target: string, environment: string): Promise<void> {
  const { runWrangler } = await import('../../wrangler.ts');
  const sql = `${target}.sql`;
  const database = ['d1', 'export', 'DB', '--remote', '--env', environment];
  await runWrangler([...database, '--skip-confirmation', '--output', sql]);
  await loadSql(sql, target);
}

const verify = bare('verify', 'backup verify registry-2026-11-21.sqlite')
  .description('Restore a backup into a temporary database, and compare every table')
  .argument('<file>', 'a file that backup has written', parsePath)
  .option('--json', 'answer in JSON, and print nothing else to standard output')
  .addHelpText(
    'after',
    `
No registry is touched. The temporary database is below TMPDIR, takes as much room as the backup, and is removed.`,
  )
  .action(async (name, { json }) => {
    const file = path.resolve(name);
    await report(json ? { json } : {}, async () => {
      using directory = temporaryDirectory(path.join(tmpdir(), 'registry-verify-'));
      const { tables, rows } = countContents((await readSeal(file)).tables);
      const target = path.join(directory.path, 'restored.sqlite');
      const { database, close } = openFile(target, { isWritable: true });
      // In the same way as into a deployed database.
      await copyInto(database, file);
      close();
      using backup = new DatabaseSync(file, { readOnly: true });
      using restored = new DatabaseSync(target, { readOnly: true });
      const [contents, found] = [contentsOf(backup), contentsOf(restored)];
      const others = Object.keys(contents).filter(
        (table) => contents[table]?.digest !== found[table]?.digest,
      );
      if (others.length > 0) {
        const message = `${file} was restored to something else: ${others.join(', ')}`;
        throw new RegistryError('malformed', message, 'file');
      }
      return {
        data: { file, tables, rows, verified: true },
        text: `${name} is whole: ${countText(rows, 'row')} of ${countText(tables, 'table')} were restored and are as they were`,
      };
    });
  });

const description = 'Write the whole database to one file';
export const backupCommand = noun('backup', description, [verify], write);
