import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Database } from '../../database/open.ts';
import { RegistryError } from '../../error.ts';
import type { Form, Kind } from '../../move-in/kind.ts';
import { kinds } from '../../move-in/kinds.ts';
import { reading } from '../command.ts';
import { writeFileRows } from '../file/write.ts';
import { verb } from '../run.ts';
import { counted } from '../text.ts';
import { gatherHere } from './compare.ts';
import { existingFiles } from './directory.ts';
import { Staging } from './staging.ts';

export const moveOutCommand = verb(
  reading('move-out', 'move-out files')
    .description('Write the registry to a directory of files for move-in, one for each kind')
    .argument('<directory>', 'the directory for the files; it is made if it is missing')
    .option('--replace', 'replace files that are there already')
    .addHelpText(
      'after',
      `
The files hold identity codes, auth_info, passwords of names and digests of secrets. Only you can read them. The
history, webhooks, notifications and the archive of the lists are not in them: those are in a backup.`,
    ),
  async ({ db }, directory, { replace }) => {
    const [existing] = replace ? [] : existingFiles(directory);
    if (existing !== undefined) {
      const message = `${path.join(directory, existing)} already exists; name another directory or pass --replace`;
      throw new RegistryError('taken', message, 'directory');
    }
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const files: Record<string, number> = {};
    for (const kind of kinds) Object.assign(files, await writeKind(db, kind, directory));
    const rows = Object.values(files).reduce((sum, count) => sum + count, 0);
    return {
      data: { directory, files },
      text: `wrote ${counted(rows, 'row')} to ${counted(Object.keys(files).length, 'file')} in ${directory}`,
    };
  },
);

/** Writes the file of a kind and the one of its part, in the order of the keys, and returns their numbers of rows. */
async function writeKind(db: Database, kind: Kind, directory: string) {
  using staging = new Staging();
  await gatherHere(db, staging, kind);
  const { name, part } = kind;
  const write = async (file: string, rows: Iterable<Form>, columns: string[]) => [
    `${file}.csv`,
    await writeFileRows(path.join(directory, `${file}.csv`), 'csv', rows, { columns }),
  ];
  const columns = Object.keys(kind.columns).filter((column) => !part?.fills.includes(column));
  const files = [await write(name, staging.here(kind), columns)];
  if (part) {
    const rows = function* () {
      for (const form of staging.here(kind)) yield* part.rows(form);
    };
    files.push(await write(part.file, rows(), Object.keys(part.columns)));
  }
  return Object.fromEntries(files);
}
