import { statSync } from 'node:fs';
import path from 'node:path';
import { noun, reading } from '../../command.ts';
import { localDirectory } from '../../project.ts';
import { counted } from '../../report/text.ts';
import { verb } from '../../run.ts';
import { summaryOf } from './contents.ts';
import { copyLocal, writeBackup } from './file.ts';
import { loadSql } from './load-sql.ts';
import { verifyVerb } from './verify.ts';

const write = verb(
  reading('write', 'backup write registry-2026-11-21.sqlite', 'backup registry.sqlite --remote')
    .description('Write the whole database to one file; the word write may be left out')
    .argument('<file>', 'the SQLite file to write; it must not exist yet')
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
    const { tables, rows } = summaryOf(contents);
    return {
      data: { file, bytes: statSync(file).size, tables, rows },
      text: `wrote ${counted(rows, 'row')} of ${counted(tables, 'table')} to ${name}`,
    };
  },
);

export const backupCommand = noun(
  'backup',
  'backup registry.sqlite',
  [verifyVerb],
  write,
).description('Write the whole database to one file');

/** The database serves no requests until wrangler begins to download. */
async function exportRemote(target: string, environment: string): Promise<void> {
  const { runWrangler } = await import('../../wrangler.ts');
  const sql = `${target}.sql`;
  const database = ['d1', 'export', 'DB', '--remote', '--env', environment];
  await runWrangler([...database, '--skip-confirmation', '--output', sql]);
  await loadSql(sql, target);
}
