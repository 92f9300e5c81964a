import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { RegistryError } from '../../../error.ts';
import { listNames } from '../../../public-list/lists.ts';
import { type CommonOptions, commandLine, reading, registryOptions } from '../../command.ts';
import { unfinishedRestore } from '../../migrate.ts';
import { localDirectory } from '../../project.ts';
import type { Registry } from '../../registry.ts';
import { confirm } from '../../report/confirm.ts';
import { atInterrupt } from '../../report/interrupt.ts';
import { counted, table } from '../../report/text.ts';
import { run } from '../../run.ts';
import { repeatErasures } from '../contact/erase-again.ts';
import { type Contents, summaryOf } from './contents.ts';
import { copyInto, makeEmpty, rowsToLose } from './copy.ts';
import { checkBackup } from './file.ts';

export const restoreCommand = reading(
  'restore',
  'restore registry-2026-11-21.sqlite --persist-to restored',
  'restore registry.sqlite --remote',
)
  .description('Make a database equal to a backup and publish the lists')
  .argument('<file>', 'a file that backup has written')
  .addHelpText(
    'after',
    `
Name a new directory, or a new database in wrangler.toml; no migrations are applied first. In a database that has
rows, everything is removed first, after a question; stop the service before. If a restore is interrupted, every
command refuses the database until you repeat it: it starts over. At the end, who was erased since is erased
again, after a question, and the lists are published.`,
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
      async (registry, contents) => {
        const { DB } = registry.env;
        const { rows, tables } = summaryOf(contents);
        const confirmed = options.yes ? undefined : await confirmLoss(DB, file, contents);
        const command = commandLine(['restore', file, ...registryOptions(options)]);
        {
          using _ = atInterrupt(() => `interrupted; ${unfinishedRestore(command)}`);
          await makeEmpty(DB, { command, confirmed });
          await copyInto(DB, file, rows).catch((error: Error) => {
            const message = `${error.message}; ${unfinishedRestore(command)}`;
            throw new RegistryError('unexpected', message);
          });
        }
        const erasures = await eraseAgain(registry, options);
        const text = `restored ${counted(rows, 'row')} of ${counted(tables, 'table')} from ${name}`;
        return {
          data: { file, tables, rows, ...erasures.data, changed: true },
          text: [text, erasures.text].join('; '),
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
    `This removes everything that is in the database:\n\n${compared}\n\nThe service must be stopped first.`,
  );
  return rows;
}

/** Erases whom the restore has brought back. If that fails, the restore is done, and the report says how to go on. */
async function eraseAgain(registry: Registry, options: CommonOptions) {
  try {
    const { data, text } = await repeatErasures(registry, options);
    return { data, text: text ?? 'no contact is back whose erasure the bucket ARCHIVE remembers' };
  } catch (error) {
    if (registry.env.ARCHIVE) process.exitCode = 1;
    const { message } = error as Error;
    const command = commandLine(['contact', 'erase-again', ...registryOptions(options)]);
    return {
      data: { erased_again: null, problem: message },
      text: `whoever was erased since is back: ${message}; to erase them: ${command}`,
    };
  }
}
