import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import { RegistryError } from '../../../base/error.ts';
import { listNames } from '../../../list/lists.ts';
import { type CommonOptions, commandLine, reading, registryOptions } from '../../command.ts';
import { findDatabaseFile } from '../../local/file.ts';
import { unfinishedRestore } from '../../migrate.ts';
import { localDirectory } from '../../project.ts';
import { checkMigrations, type Registry } from '../../registry.ts';
import { confirm } from '../../report/confirm.ts';
import { atInterrupt } from '../../report/interrupt.ts';
import { counted } from '../../report/text.ts';
import { run } from '../../run.ts';
import { type Account, readAccounts } from './access.ts';
import { summaryOf } from './contents.ts';
import { copyInto, type Mark, makeEmpty, readState } from './copy.ts';
import { copyDatabase, writeBackup } from './file.ts';
import { type Preparation, prepare } from './prepare.ts';
import { readSeal, type Seal } from './seal.ts';

const command = reading(
  'restore',
  'restore registry-2026-11-21.sqlite --persist-to restored',
  'restore registry.sqlite --remote',
)
  .description('Make a database equal to a backup and publish the lists')
  .argument('<file>', 'a file that backup or move-in has written')
  .option('--access-as-in-file', 'let in whom the file lets in, whatever has changed since')
  .option('--replace-all', 'replace a registry that is in use with a file of move-in')
  .addHelpText(
    'after',
    `
Name a new directory, or a new database in wrangler.toml, without migrations. Stop the service before. In a database
that has rows, everything is removed, after a question. Who was disabled, suspended or given another secret since the
backup stays out, and who was erased since is erased again. If the restore is interrupted, every command refuses the
database until you repeat it: it goes on from <file>.prepared.`,
  );
type Options = CommonOptions & ReturnType<typeof command.opts>;

export const restoreCommand = command.action((name, options) => {
  const file = path.resolve(name);
  const data = path.join(localDirectory(options.persistTo), 'v3/d1');
  return run(
    options,
    async () => {
      const sealed = await readSeal(file);
      if (!options.remote) mkdirSync(data, { recursive: true });
      return sealed;
    },
    async (registry, sealed) => {
      const { rows, tables } = summaryOf(sealed.tables);
      const { data, lines } = await restore(file, sealed, registry, options);
      const text = `restored ${counted(rows, 'row')} of ${counted(tables, 'table')} from ${name}`;
      return {
        data: { file, tables, rows, ...data, changed: true },
        text: [...lines, text].join('\n'),
        publish: listNames,
      };
    },
    { mayBeEmpty: true },
  );
});

/** Prepares a copy beside the file, asks, and puts the copy into the database's place. */
async function restore(
  file: string,
  sealed: Seal,
  registry: Registry,
  options: Options,
): Promise<Preparation> {
  const { env, service } = registry;
  if (service !== undefined) {
    throw new RegistryError('taken', `npm start runs on this database (${service}); stop it first`);
  }
  const copy = `${file}.prepared`;
  const { mark, seen } = await readState(env.DB);
  let prepared = options.accessAsInFile ? undefined : await findPrepared(copy, mark);
  if (!prepared) {
    const accounts = await accountsToKeep(registry, sealed, options, { mark, seen });
    const write = (target: string) =>
      prepare(file, target, registry, { accounts, lastId: seen?.lastId ?? 0 });
    prepared = await writeBackup(copy, write, undefined, false);
  }
  const { tables, sha256, result } = prepared as Required<typeof prepared>;
  if (seen?.changes && !options.yes) {
    await confirm(
      `This removes everything that is in the database (${seen.words}),\nand puts there what is in the file ` +
        `(${result.words}):\n${result.lines.join('\n')}\nThe service must be stopped first.`,
    ).catch((error) => {
      rmSync(copy);
      throw error;
    });
  }
  const again = options.accessAsInFile ? ['--access-as-in-file'] : [];
  const command = commandLine(['restore', file, ...again, ...registryOptions(options)]);
  const unfinished = unfinishedRestore(command);
  using _ = atInterrupt(() => `interrupted; ${unfinished}`);
  await makeEmpty(env.DB, { command, sha256 }, seen);
  const directory = localDirectory(options.persistTo);
  const local = options.remote ? undefined : findDatabaseFile(directory, options.env);
  try {
    await (local === undefined
      ? copyInto(env.DB, copy, summaryOf(tables).rows)
      : copyDatabase(copy, local));
  } catch (error) {
    throw new RegistryError('unexpected', `${(error as Error).message}; ${unfinished}`);
  }
  rmSync(copy);
  return result;
}

/** The copy that an unfinished restore has prepared, if it is there as it was written. */
async function findPrepared(copy: string, mark: Mark | undefined) {
  if (!mark) return undefined;
  const sealed = (await readSeal(copy).catch(() => undefined)) as Seal<Preparation> | undefined;
  return sealed?.sha256 === mark.sha256 ? sealed : undefined;
}

/**
 * The accounts that must not become weaker; undefined where access is as in the file. In a database that an unfinished
 * restore has emptied, there are none, so everybody is disabled. Throws `conflict` for a registry in use that a file of
 * move-in would replace, and `not_found` for one that lacks migrations.
 */
async function accountsToKeep(
  { env, db }: Registry,
  { writtenBy }: Seal,
  { accessAsInFile, replaceAll }: Options,
  { mark, seen }: Awaited<ReturnType<typeof readState>>,
): Promise<Account[] | undefined> {
  const use = sql`select actor from history where actor_type not in ('move_in', 'operator', 'cron') limit 1`;
  const user = seen && writtenBy === 'move-in' && !replaceAll && (await db.values(use)).at(0);
  if (user) {
    const message = `the registry is in use: ${user} has changed it; --replace-all removes it`;
    throw new RegistryError('conflict', message);
  }
  if (accessAsInFile || writtenBy === 'move-in') return undefined;
  if (!seen?.registrars) return mark && [];
  await checkMigrations(env.DB);
  return await readAccounts(db);
}
