import { mkdirSync, mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { bare } from '../../command.ts';
import { findDatabaseFile } from '../../local/file.ts';
import { atInterrupt } from '../../report/interrupt.ts';
import { counted } from '../../report/text.ts';
import { run } from '../../run.ts';
import { contentsOf, differences, summaryOf } from './contents.ts';
import { copyInto, makeEmpty } from './copy.ts';
import { changedBackup, checkBackup } from './file.ts';

const command = bare('verify', 'backup verify registry-2026-11-21.sqlite')
  .description(
    'Restore a backup into a temporary database, and compare every table with what it held',
  )
  .argument('<file>', 'a file that backup has written')
  .option('--json', 'answer in JSON, and print nothing else to standard output')
  .addHelpText(
    'after',
    `
No registry is touched. The temporary database is below TMPDIR, takes as much room as the backup, and is removed.`,
  );

export const verifyVerb = command.action(async (name, { json }) => {
  const file = path.resolve(name);
  using directory = mkdtempDisposableSync(path.join(tmpdir(), 'registry-verify-'));
  using _ = atInterrupt(() => {
    directory.remove();
    return 'interrupted; the backup was not verified';
  });
  await run(
    { persistTo: directory.path, ...(json && { json }) },
    async () => {
      mkdirSync(path.join(directory.path, 'v3/d1'), { recursive: true });
      return checkBackup(file);
    },
    async ({ env }, contents) => {
      const { tables, rows } = summaryOf(contents);
      await makeEmpty(env.DB, { command: '', confirmed: undefined });
      await copyInto(env.DB, file, rows);
      using restored = new DatabaseSync(findDatabaseFile(directory.path, undefined)!);
      const changes = differences(contents, contentsOf(restored));
      if (changes.length > 0) throw changedBackup(file, changes);
      return {
        data: { file, tables, rows, contents, verified: true },
        text: `${name} is whole: ${counted(rows, 'row')} of ${counted(tables, 'table')} were restored and are as they were`,
      };
    },
    { mayBeEmpty: true },
  );
});
