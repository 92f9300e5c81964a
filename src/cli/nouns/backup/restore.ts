import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { RegistryError } from '../../../error.ts';
import { listNames } from '../../../public-list/lists.ts';
import { type CommonOptions, commandLine, reading, registryOptions } from '../../command.ts';
import { unfinishedRestore } from '../../migrate.ts';
import { localDirectory } from '../../project.ts';
import { confirm } from '../../report/confirm.ts';
import { atInterrupt } from '../../report/interrupt.ts';
import { counted } from '../../report/text.ts';
import { run } from '../../run.ts';
import { summaryOf } from './contents.ts';
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
        const summary = summaryOf(await checkBackup(file));
        const data = path.join(localDirectory(options.persistTo), 'v3/d1');
        if (!options.remote) mkdirSync(data, { recursive: true });
        return summary;
      },
      async ({ env }, { rows, tables }) => {
        const confirmed = await confirmLoss(env.DB, options);
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

/** Asks before rows are removed. Returns the rows of each table. */
async function confirmLoss(db: D1Database, { yes }: CommonOptions) {
  if (yes) return undefined;
  const rows = await rowsToLose(db);
  const kinds = [...rows]
    .filter(([, count]) => count > 0)
    .map(([table, count]) => `${counted(count, 'row')} of ${table}`);
  if (kinds.length === 0) return rows;
  await confirm(
    `This removes everything that is in the database: ${kinds.join(', ')}.`,
    'confirm with --yes',
  );
  return rows;
}

function commandFor(file: string, options: CommonOptions): string {
  const { persistTo } = options;
  const place = persistTo === undefined ? {} : { persistTo: path.resolve(persistTo) };
  return commandLine(['restore', file, ...registryOptions({ ...options, ...place })]);
}
