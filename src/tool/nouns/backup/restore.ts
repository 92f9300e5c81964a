import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import { openDatabase } from '../../../base/database/open.ts';
import { RegistryError } from '../../../base/error.ts';
import { listNames } from '../../../list/lists.ts';
import { type CommonOptions, commandLine, reading, registryOptions } from '../../command.ts';
import { findDatabaseFile, openFile } from '../../local/file.ts';
import { applyMigrations } from '../../migrate.ts';
import { localDirectory } from '../../project.ts';
import { checkMigrations, type Registry } from '../../registry.ts';
import { confirm } from '../../report/confirm.ts';
import { counted } from '../../report/text.ts';
import { attempt, run } from '../../run.ts';
import { repeatErasures } from '../contact/erase.ts';
import { type Account, keepAccess, readAccounts } from './access.ts';
import {
  copyInto,
  type Figures,
  type Mark,
  makeEmpty,
  readState,
  selectFigures,
  summaryOf,
} from './copy.ts';
import { copyDatabase, readSeal, type Seal, writeBackup } from './file.ts';

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

export const restoreCommand = command.action(async (name, options) => {
  const file = path.resolve(name);
  const data = path.join(localDirectory(options.persistTo), 'v3/d1');
  const sealed = await attempt(options, async () => {
    const sealed = await readSeal(file);
    if (!options.remote) mkdirSync(data, { recursive: true });
    return sealed;
  });
  if (!sealed) return;
  await run(
    options,
    async (registry) => {
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
    prepared = await writeBackup(copy, write, { isNew: false });
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
  await makeEmpty(env.DB, { command, sha256 }, seen);
  const directory = localDirectory(options.persistTo);
  const local = options.remote ? undefined : findDatabaseFile(directory, options.env);
  await (local === undefined
    ? copyInto(env.DB, copy, summaryOf(tables).rows)
    : copyDatabase(copy, local));
  rmSync(copy);
  return result;
}

type Preparation = Awaited<ReturnType<typeof prepare>>;

/** Tables with ids that callers have seen. Those that may have been given since the backup are left out. */
const numbered = ['contacts', 'disclosures', 'notifications', 'systems'];

/** More ids than a registry gives between its last backup and the loss of its database. */
const gap = 10_000_000;

const noBucket = {
  data: { erased_again: null },
  text: 'wrangler.toml binds no ARCHIVE, so whoever was erased since is back: erase them again',
};

/**
 * Copies a backup, and does in the copy what must follow a restore: migrates it, makes access as strict as it was for
 * these accounts, if they are given, erases again who was erased since, and leaves out ids that may have been given
 * since.
 */
async function prepare(
  file: string,
  copy: string,
  registry: Registry,
  { accounts, lastId }: { accounts: readonly Account[] | undefined; lastId: number },
) {
  await copyDatabase(file, copy);
  const { database, close } = openFile(copy, { isWritable: true });
  const db = openDatabase(database);
  const figures = (await database.prepare(selectFigures).first<Figures>())!;
  await applyMigrations(database);
  const kept = accounts ? await keepAccess({ db, origin: registry.origin }, accounts) : [];
  const { data, text } = registry.env.ARCHIVE
    ? await repeatErasures({ ...registry, db, isDryRun: false }, { yes: true })
    : noBucket;
  const next = gap + Math.max(lastId, figures.lastId);
  const names = JSON.stringify(numbered);
  await database.batch([
    database
      .prepare('delete from sqlite_sequence where name in (select value from json_each(?))')
      .bind(names),
    database
      .prepare(`insert into sqlite_sequence (name, seq)
        select value, cast(? as integer) from json_each(?)`)
      .bind(next, names),
  ]);
  close();
  const lines = kept.map(({ name, fields }) => `kept as it was: ${name}: ${fields.join(', ')}`);
  return { data: { ...data, kept }, lines: [...lines, text], words: figures.words };
}

/** The copy that an unfinished restore has prepared, if it is there as it was written. */
async function findPrepared(copy: string, mark: Mark | undefined) {
  if (!mark) return undefined;
  const sealed = (await readSeal(copy).catch(() => undefined)) as Seal<Preparation> | undefined;
  return sealed?.sha256 === mark.sha256 ? sealed : undefined;
}

/**
 * The accounts that must not become weaker; undefined where access is as in the file. A database that an unfinished
 * restore has emptied has none, so everybody is disabled. Throws `conflict` for a registry in use that a file of
 * move-in would replace, and `not_found` for one that lacks migrations.
 */
async function accountsToKeep(
  { env, db }: Registry,
  { writtenBy }: Seal,
  { accessAsInFile, replaceAll }: Options,
  { mark, seen }: Awaited<ReturnType<typeof readState>>,
): Promise<Account[] | undefined> {
  const use = sql`select actor from history
    where actor_type not in ('move_in', 'operator', 'cron') limit 1`;
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
