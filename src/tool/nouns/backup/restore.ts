import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { Option } from '@commander-js/extra-typings';
import { sql } from 'drizzle-orm';
import { openDatabase } from '../../../base/database/open.ts';
import { RegistryError } from '../../../base/error.ts';
import { listNames } from '../../../list/lists.ts';
import { messageOf } from '../../../view/message.ts';
import { countText, linesOf as linesOfText } from '../../../view/text.ts';
import { checkClockByHistory } from '../../clock.ts';
import { type CommonOptions, commandLine, parsePath, readCommand } from '../../command.ts';
import { temporaryDirectory } from '../../files/temporary.ts';
import { explainFullDisk } from '../../local/disk.ts';
import { findDatabaseFile, openFile } from '../../local/file.ts';
import { unfinishedRestore } from '../../migrate.ts';
import { localDirectory } from '../../project.ts';
import { checkMigrations, type Registry } from '../../registry.ts';
import { confirm } from '../../report/confirm.ts';
import { atInterrupt } from '../../report/interrupt.ts';
import { say } from '../../report/output.ts';
import { attempt, type Report, run } from '../../run.ts';
import { repeatErasures } from '../contact/erase.ts';
import { type Account, keepAccess, readAccounts } from './access.ts';
import {
  type Before,
  copyInto,
  countRows,
  type Figures,
  type Mark,
  makeEmpty,
  readState,
} from './copy.ts';
import { copyBackup, copyDatabase, type Seal } from './file.ts';
import { migrateCopy } from './schema.ts';

const command = readCommand(
  'restore',
  'restore registry-2026-11-21.sqlite --persist-to restored',
  'restore registry.sqlite --remote',
)
  .description('Make a database equal to a backup and publish the lists')
  .argument('<file>', 'a file that backup or move-in has written', parsePath)
  .addOption(new Option('--clock-is-right').hideHelp())
  .option('--access-as-in-file', 'let in whom the file lets in, whatever has changed since')
  .option('--replace-all', 'replace a registry that is in use with a file of move-in')
  .addHelpText(
    'after',
    `
Name a new directory, or a new database in wrangler.toml, without migrations. Stop the service before. In a database
that has rows, everything is removed, after a question. Who was disabled, suspended or given another secret since the
backup stays out, and who was erased since is erased again. A local database changes at once: if the restore is
interrupted, it is as it was. A deployed one is refused by every command until you repeat the restore with the same file
and options. A copy of the file, for its owner alone, is below TMPDIR meanwhile.`,
  );
type Options = CommonOptions & ReturnType<typeof command.opts>;

/** The restore makes its corrections in the copy. */
interface Source {
  file: string;
  copy: string;
  seal: Seal;
  /** The state of the database if the command ends now. */
  state: string;
}

export const restoreCommand = command.action(async (name, options) => {
  const file = path.resolve(name);
  await attempt(options, async () => {
    using directory = temporaryDirectory(path.join(tmpdir(), 'registry-restore-'));
    const copy = path.join(directory.path, 'copy.sqlite');
    const begun = { file, copy, state: 'the database is as it was' };
    using _ = atInterrupt(() => begun.state);
    const withState = (folder: string) => (error: unknown) => {
      if (error instanceof RegistryError) throw error;
      const cause = messageOf(explainFullDisk(error, folder));
      throw new RegistryError('unexpected', `${cause}; ${begun.state}`);
    };
    const copying = withState(`${tmpdir()} (TMPDIR)`);
    const seal = await copyBackup(file, copy).catch(copying);
    await migrateCopy(copy, file).catch(copying);
    const source = Object.assign(begun, { seal });
    if (!options.remote) mkdirSync(localDirectory(options.persistTo), { recursive: true });
    const replacing = withState(
      options.remote
        ? 'the database'
        : `${localDirectory(options.persistTo)} or ${tmpdir()} (TMPDIR)`,
    );
    const work = (registry: Registry) => restore(registry, source, options).catch(replacing);
    await run(options, work, { mayBeEmpty: true });
  });
});

async function restore(registry: Registry, source: Source, options: Options): Promise<Report> {
  const { env, service } = registry;
  if (service !== undefined) {
    throw new RegistryError('taken', `npm start runs on this database (${service}); stop it first`);
  }
  const { mark, seen } = await markOf(registry, source, options);
  const { data, lines, asked, figures, ...prepared } = await prepare(
    registry,
    source,
    mark,
    options,
  );
  if (seen?.changes && !options.yes) {
    await confirm([
      `This removes everything that is in the database (${seen.words}),`,
      `and puts there what is in the file (${figures.words}):`,
      ...asked,
      'The service must be stopped first.',
    ]);
  }
  try {
    await replace(registry, source, options, { mark, seen });
    await checkRestored(registry, prepared);
  } catch (error) {
    source.state = await stateOf(env.DB, mark);
    throw error;
  }
  const publish = commandLine(['lists', 'publish'], options);
  source.state = `the database is restored; to publish its lists: ${publish}`;
  // A kill leaves nothing that says it.
  if (!options.json) say(`restored; if this is killed before it publishes the lists: ${publish}`);
  using restored = new DatabaseSync(source.copy, { readOnly: true });
  const { rows, tables } = countRows(restored);
  const text = `restored ${countText(rows, 'row')} of ${countText(tables, 'table')} from ${source.file}`;
  return {
    data: { file: source.file, tables, rows, ...data, changed: true },
    text: [...lines, text],
    publish: listNames,
  };
}

/**
 * The mark for, or of, an unfinished restore of a deployed database. Throws `conflict` for another file or other options than before, and
 * `invalid` for a mark that is too large.
 */
async function markOf(registry: Registry, { file, seal }: Source, options: Options) {
  const { accessAsInFile, replaceAll } = options;
  const choices = { '--access-as-in-file': accessAsInFile, '--replace-all': replaceAll };
  const flags = Object.entries(choices).flatMap(([flag, isSet]) => (isSet ? [flag] : []));
  const input = [seal.sha256, ...flags].join(' ');
  const { mark, seen } = await readState(registry.env.DB);
  if (mark && mark.input !== input) {
    const message = `this is another file, or these are other options: ${unfinishedRestore(mark.command)}`;
    throw new RegistryError('conflict', message);
  }
  const command = commandLine(['restore', file, ...flags], options);
  if (mark) return { mark: { ...mark, command }, seen };
  const accounts = await accountsToKeep(registry, seal, options, seen);
  const before = JSON.stringify({ accounts, lastId: seen?.lastId ?? 0 } satisfies Before);
  if (options.remote && Buffer.byteLength(before) > maximumMark) {
    const message =
      'D1 cannot hold who may get in while the restore is not finished, as there are too many users: ' +
      'restore into a new database, or pass --access-as-in-file';
    throw new RegistryError('invalid', message);
  }
  return { mark: { command, input, before }, seen };
}

/** D1's limit of 2,000,000 bytes a row, less the other columns. */
const maximumMark = 1_900_000;

/** A local database is replaced in one transaction; a deployed one is emptied, and refused until its last batch. */
async function replace(
  { env }: Registry,
  source: Source,
  options: Options,
  { mark, seen }: { mark: Mark; seen: Figures | undefined },
): Promise<void> {
  const directory = localDirectory(options.persistTo);
  const local = options.remote ? undefined : findDatabaseFile(directory, options.env);
  if (local !== undefined) {
    source.state = `the database is as it was, or restored as a whole; to be sure, repeat: ${mark.command}`;
    return await copyDatabase(source.copy, local);
  }
  source.state = `nothing can use the database, unless it is as it was; restore again: ${mark.command}`;
  await copyInto(env.DB, source.copy, await makeEmpty(env.DB, mark, seen));
}

async function checkRestored(
  { env, db }: Registry,
  { words, accounts }: { words: string; accounts: readonly Account[] },
): Promise<void> {
  const { seen } = await readState(env.DB);
  if (seen?.words === words && isDeepStrictEqual(await readAccounts(db), accounts)) return;
  throw new Error(`the database is not as it should be (${words})`);
}

async function stateOf(db: D1Database, { command }: Mark): Promise<string> {
  try {
    const { mark, seen } = await readState(db);
    if (mark) return unfinishedRestore(command);
    return `the database has ${seen?.words ?? 'no tables'}; to restore it, repeat: ${command}`;
  } catch (error) {
    return `what the database has cannot be read (${messageOf(error)}); restore again: ${command}`;
  }
}

/** Tables with ids that callers see. Ids that may have been given since the backup are skipped. */
const numbered = ['contacts', 'disclosures', 'notifications', 'systems'];

/** More ids than a registry gives between its last backup and the loss of its database. */
const gap = 10_000_000;

const noBucket = {
  data: { erased_again: null },
  text: 'wrangler.toml binds no ARCHIVE, so whoever was erased since is back: erase them again',
  asked: ['wrangler.toml binds no ARCHIVE, so whoever was erased since would be back'],
};

/**
 * Corrects the copy: makes access as strict as before, repeats erasures, and skips ids that may have been given since the backup.
 * Throws `invalid` if this machine's clock is before the newest entry.
 */
async function prepare(
  registry: Registry,
  { copy }: Source,
  mark: Mark,
  { remote, clockIsRight }: Options,
) {
  const { accounts, lastId }: Before = JSON.parse(mark.before);
  using opened = new DisposableStack();
  const { database, close } = openFile(copy, { isWritable: true });
  opened.defer(close);
  const db = openDatabase(database);
  if (!remote && !clockIsRight) await checkClockByHistory(db, { isBackup: true });
  const figures = (await readState(database)).seen!;
  const kept = accounts ? await keepAccess({ db, origin: registry.origin }, accounts) : [];
  const { data, text, asked } = registry.env.ARCHIVE
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
  const linesOf = (disabled: string, keptAs: string) =>
    kept.map(({ name, fields, isGone }) =>
      isGone
        ? `${disabled}, because the database no longer has it: ${name}`
        : `${keptAs}: ${name}: ${fields.join(', ')}`,
    );
  return {
    data: { ...data, kept: kept.map(({ name, fields }) => ({ name, fields })) },
    lines: [...linesOf('disabled', 'kept as it was'), ...linesOfText(text)],
    /** The same, for the question. */
    asked: [...linesOf('would disable', 'would keep as it is'), ...asked],
    figures,
    words: (await readState(database)).seen!.words,
    accounts: await readAccounts(db),
  };
}

/**
 * The accounts that must not become weaker. Undefined if access is as in the file. Throws `conflict` if a file of move-in would replace a
 * registry in use, and `not_found` for missing migrations.
 */
async function accountsToKeep(
  { env, db }: Registry,
  { writtenBy }: Seal,
  options: Options,
  seen: Figures | undefined,
): Promise<Account[] | undefined> {
  const { accessAsInFile, replaceAll } = options;
  const use = sql`select actor from history
    where actor_type not in ('move_in', 'operator', 'cron') limit 1`;
  const user = seen && writtenBy === 'move-in' && !replaceAll && (await db.values(use)).at(0);
  if (user) {
    const message = `the registry is in use: ${user} has changed it; --replace-all removes it`;
    throw new RegistryError('conflict', message);
  }
  if (accessAsInFile || writtenBy === 'move-in' || !seen?.registrars) return undefined;
  await checkMigrations(env.DB, options);
  return await readAccounts(db);
}
