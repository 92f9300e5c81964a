import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { RegistryError } from '../../../base/error.ts';
import { bare } from '../../command.ts';
import { openFile } from '../../local/file.ts';
import { atInterrupt } from '../../report/interrupt.ts';
import { counted } from '../../report/text.ts';
import { report } from '../../run.ts';
import { contentsOf, summaryOf } from './contents.ts';
import { copyInto, makeEmpty } from './copy.ts';
import { readSeal } from './seal.ts';

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
  await report(json ? { json } : {}, async () => {
    const { tables: contents } = await readSeal(file);
    const { tables, rows } = summaryOf(contents);
    const target = path.join(directory.path, 'restored.sqlite');
    const { database, close } = openFile(target, { isWritable: true });
    // As into a deployed database, which takes rows in no other way.
    await makeEmpty(database, { command: '', sha256: '' });
    await copyInto(database, file, rows);
    close();
    using restored = new DatabaseSync(target, { readOnly: true });
    const found = contentsOf(restored);
    const others = Object.keys({ ...contents, ...found }).filter(
      (table) => contents[table]?.digest !== found[table]?.digest,
    );
    if (others.length > 0) {
      const message = `${file} was restored to something else than it states: ${others.join(', ')}`;
      throw new RegistryError('malformed', message, 'file');
    }
    return {
      data: { file, tables, rows, contents, verified: true },
      text: `${name} is whole: ${counted(rows, 'row')} of ${counted(tables, 'table')} were restored and are as they were`,
    };
  });
});
