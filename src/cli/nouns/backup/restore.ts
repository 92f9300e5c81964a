import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { RegistryError } from '../../../error.ts';
import { listNames } from '../../../public-list/lists.ts';
import { type CommonOptions, commandLine, reading, registryOptions } from '../../command.ts';
import { unfinishedRestore } from '../../migrate.ts';
import { localDirectory } from '../../project.ts';
import { confirm } from '../../report/confirm.ts';
import { atInterrupt } from '../../report/interrupt.ts';
import { counted, table } from '../../report/text.ts';
import { run } from '../../run.ts';
import { type Contents, summaryOf } from './contents.ts';
import { copyInto, makeEmpty, rowsToLose } from './copy.ts';
import { checkBackup } from './file.ts';

export const restoreCommand = reading(
  'restore',
  'restore registry-2026-11-21.sqlite --persist-to restored',
  'restore registry.sqlite --remote',
)
  .argument('<file>', 'a file that backup has written')
  .addHelpText(
    'after',
    `
Name a new directory, or a new database in wrangler.toml; no migrations are applied first. In a database that has
rows, everything is removed first, after a question; stop the service before. If a restore is interrupted, every
command refuses the database until you repeat it: it starts over. The lists are published at the end.`,
  )
  .action((name, options) => {
    const file = path.resolve(name);
    return run(
      options,
      async () => {
        const contents = await checkBackup(file);
        const data = path.join(localDirectory(options.persistTo), 'v3/d1');
        if (!options.remote) mkdirSync(data, { recursive: true });
        return contents;
      },
      async ({ env }, contents) => {
        const { rows, tables } = summaryOf(contents);
        const confirmed = options.yes ? undefined : await confirmLoss(env.DB, file, contents);
        const command = commandFor(file, options);
        using _ = atInterrupt(() => `interrupted; ${unfinishedRestore(command)}`);
        await makeEmpty(env.DB, { command, confirmed });
        await copyInto(env.DB, file, rows).catch((error: Error) => {
          const message = `${error.message}; ${unfinishedRestore(command)}`;
          throw new RegistryError('unexpected', message);
        });
        return {
          data: { file, tables, rows, changed: true },
          text: `restored ${counted(rows, 'row')} of ${counted(tables, 'table')} from ${name}`,
          publish: listNames,
        };
      },
      { mayBeEmpty: true },
    );
  });

const newestChange = 'select max(occurred_at) as at from history';

/** Asks before rows are removed, and compares them with the file. Returns the rows of each table. */
async function confirmLoss(db: D1Database, file: string, contents: Contents) {
  const rows = await rowsToLose(db);
  if ([...rows.values()].every((count) => count === 0)) return rows;
  using backup = new DatabaseSync(file, { readOnly: true });
  const lines = [
    ...Array.from(rows, ([name, count]) => ({
      name,
      here: count,
      inFile: contents[name]?.rows ?? 0,
    })),
    {
      name: 'last change',
      here: await db.prepare(newestChange).first('at'),
      inFile: backup.prepare(newestChange).get()?.at,
    },
  ].filter(({ here, inFile }) => here !== 0 || inFile !== 0);
  const compared = table(lines, '', { TABLE: 'name', HERE: 'here', 'IN THE FILE': 'inFile' });
  await confirm(
    `This removes everything that is in the database:\n\n${compared}\n\n`,
    'confirm with --yes',
  );
  return rows;
}

function commandFor(file: string, options: CommonOptions): string {
  const { persistTo } = options;
  const place = persistTo === undefined ? {} : { persistTo: path.resolve(persistTo) };
  return commandLine(['restore', file, ...registryOptions({ ...options, ...place })]);
}
