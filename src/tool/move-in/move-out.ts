import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { RegistryError } from '../../base/error.ts';
import { reading } from '../command.ts';
import { writeFileRows } from '../files/write.ts';
import { counted } from '../report/text.ts';
import { verb } from '../run.ts';
import { existingFiles, reportName } from './directory.ts';
import { kinds } from './kinds/kinds.ts';
import { readForms } from './kinds/rows.ts';

export const moveOutCommand = verb(
  reading('move-out', 'move-out files')
    .description('Write the whole registry to a directory of files for move-in')
    .argument('<directory>', 'the directory for the files; it is made if it is missing')
    .option('--replace', 'replace files that are there already')
    .addHelpText(
      'after',
      `
The files hold identity codes, auth_info, passwords of names and digests of secrets. Only you can read them. The
history, webhooks, notifications and the archive of the lists are not in them: those are in a backup. The files are written
one after the other, so they are not a snapshot: run it while nobody changes anything, or on a restored backup.`,
    ),
  async ({ db }, directory, { replace }) => {
    const [existing] = replace ? [] : existingFiles(directory);
    if (existing !== undefined) {
      const message = `${path.join(directory, existing)} already exists; name another directory or pass --replace`;
      throw new RegistryError('taken', message, 'directory');
    }
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    // It would be of other files.
    rmSync(path.join(directory, `${reportName}.csv`), { force: true });
    const files: Record<string, number> = {};
    for (const kind of kinds) {
      const file = `${kind.name}.csv`;
      const columns = Object.keys(kind.columns);
      const rows = readForms(db, kind);
      files[file] = await writeFileRows(path.join(directory, file), 'csv', rows, { columns });
    }
    const rows = Object.values(files).reduce((sum, count) => sum + count, 0);
    return {
      data: { directory, files },
      text: `wrote ${counted(rows, 'row')} to ${counted(Object.keys(files).length, 'file')} in ${directory}`,
    };
  },
);
