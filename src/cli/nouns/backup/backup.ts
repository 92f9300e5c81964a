import { readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { reading } from '../../command.ts';
import { localDirectory } from '../../project.ts';
import { verb } from '../../run.ts';
import { counted } from '../../text.ts';
import { copyLocal, createPrivateFile, loadSql, writeBackup } from './file.ts';

export const backupCommand = verb(
  reading('backup', 'backup registry-2026-11-21.sqlite', 'backup registry.sqlite --remote')
    .argument('<file>', 'the SQLite file to write; it must not exist yet')
    .addHelpText(
      'after',
      `
The file contains everything: identity codes, auth_info, digests of secrets, history. Only you can read it. It is
checked before it gets its name. A deployed database serves no requests while it is exported.`,
    ),
  async (_registry, name, options) => {
    const file = path.resolve(name);
    const summary = await writeBackup(file, async (partial) => {
      if (options.remote) await exportRemote(partial, options.env ?? 'production');
      else copyLocal(localDirectory(options.persistTo), partial);
    });
    const bytes = statSync(file).size;
    return {
      data: { file, bytes, ...summary },
      text: `wrote ${counted(summary.rows, 'row')} of ${counted(summary.tables, 'table')} to ${name}`,
    };
  },
);

async function exportRemote(target: string, environment: string): Promise<void> {
  const { runWrangler } = await import('../../wrangler.ts');
  const sql = `${target}.sql`;
  createPrivateFile(sql);
  try {
    const database = ['d1', 'export', 'DB', '--remote', '--env', environment];
    await runWrangler([...database, '--skip-confirmation', '--output', sql]);
    loadSql(readFileSync(sql, 'utf8'), target);
  } finally {
    rmSync(sql, { force: true });
  }
}
