import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { stringify } from 'csv-stringify/sync';
import { afterAll, beforeAll, inject, onTestFinished, TestRunner } from 'vitest';
import { openDatabase } from '../../src/base/database/open.ts';
import { importContacts } from '../../src/contact/operator/import.ts';
import type { Bindings, OpenBindings } from '../../src/tool/bindings.ts';
import { findDatabaseFile } from '../../src/tool/local/file.ts';
import { takeLock } from '../../src/tool/local/lock.ts';
import { openLocalData } from '../../src/tool/local/open.ts';
import { openRunningServer } from '../../src/tool/local/server.ts';
import { readContact } from '../../src/tool/nouns/contact/record.ts';
import { runProgram } from '../../src/tool/program.ts';
import { openBindings } from '../../src/tool/registry.ts';
import { openInProcess } from '../support/in-process/bindings.ts';
import { isInProcess } from '../support/run.ts';
import { captured, type Ended, type Fault } from './captured.ts';
import { databaseFile, emptyAgain } from './empty-again.ts';

/** The deep run has real runtimes. The quick run has stand-ins on the database's file in this process. */
export const openData = isInProcess ? openInProcess : openLocalData;
/** The runtimes of registries, the one used last at the end: most commands take less time than to start one. */
const kept = new Map<string, Bindings>();
const maximumKept = isInProcess ? Number.POSITIVE_INFINITY : 3;
/** The directories that no test uses any more. */
const unused = new Set<string>();

const work = mkdtempSync(path.join(tmpdir(), 'registry-tool-'));
// The files of a process follow one another, and the next one goes on with the registry of the last.
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
let count = 0;

/** Opens the kept runtime for the turn of a command, or as the tool does. */
export const openKept: OpenBindings = async (options, access) => {
  const { env, ...others } = await openOrKeep(options, access);
  // The demo has a time zone, and tests state times in UTC.
  return { ...others, env: { ...env, TIME_ZONE: '' } };
};

const openOrKeep: OpenBindings = async (options, access) => {
  const directory = options.persistTo ?? '';
  const isOpened = access.isWritable || (isInProcess && findDatabaseFile(directory, undefined));
  const isToKeep = isOpened && directory.startsWith(work) && !options.env;
  if (!kept.has(directory) && !isToKeep) return openBindings(options, access);
  const bindings = kept.get(directory) ?? (await openData(directory));
  kept.delete(directory);
  kept.set(directory, bindings);
  if (kept.size > maximumKept) await close([...kept.keys()][0]!);
  const findServer = () => openRunningServer(directory, undefined);
  const { lock, server } = await takeLock(directory, 'a test', findServer);
  return server ?? { env: bindings.env, dispose: async () => lock[Symbol.dispose]() };
};

async function close(directory: string): Promise<void> {
  const bindings = kept.get(directory);
  kept.delete(directory);
  await bindings?.dispose();
}

/** Empties a registry whose runtime is kept, so that no other has to be started; undefined if there is none to use. */
async function emptyKept(): Promise<string | undefined> {
  if (isInProcess) return undefined;
  const directory = [...kept.keys()].findLast((each) => unused.delete(each));
  if (directory === undefined) return undefined;
  const isEmpty = await emptyAgain(kept.get(directory)!.env, inject('emptyRegistry'));
  const files = (await readdir(directory)).filter((name) => name !== 'v3');
  await Promise.all(files.map((name) => rm(path.join(directory, name), { recursive: true })));
  return isEmpty ? directory : undefined;
}

/** The operator's tool, on local databases that a test has to itself. */
export function startTool() {
  const registries: string[] = [];
  afterAll(() => {
    for (const directory of registries) unused.add(directory);
  });

  return {
    /** A directory of the test's own for files. */
    async newDirectory(): Promise<string> {
      return mkdtemp(path.join(work, 'files-'));
    },
    /** A registry with registrars of these codes, for the test that asks for it, or for the file outside of tests. */
    async newRegistry(...codes: string[]): Promise<TestRegistry> {
      count += 1;
      const emptied = await emptyKept();
      const directory = emptied ?? path.join(work, `registry-${count}`);
      if (!emptied) await cp(inject('emptyRegistry'), directory, { recursive: true });
      if (TestRunner.getCurrentTest()) onTestFinished(() => void unused.add(directory));
      else registries.push(directory);
      const registry = new TestRegistry(directory);
      // As a runtime leaves it. Turning it on fails while somebody reads.
      if (!isInProcess && !emptied) registry.edit('pragma journal_mode = wal');
      for (const code of codes) {
        const name = `${code[0]}${code.slice(1).toLowerCase()} OÜ`;
        await registry.done(['registrar', 'add', '--code', code, '--name', name]);
      }
      return registry;
    },
    /** The same for the whole file: it is there before the first test. */
    sharedRegistry(...codes: string[]): TestRegistry {
      const registry = new TestRegistry('');
      beforeAll(async () => {
        registry.directory = (await this.newRegistry(...codes)).directory;
      });
      return registry;
    },
  };
}

/** A file with these rows: the columns are those that any of them has, and lists and objects are JSON. */
export function csvOf(...rows: object[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return stringify(rows, { header: true, columns });
}

/** The fields that a contact must have, as the first line of a file. */
export const contactHeader = 'code,name,email,phone,ident,ident_type,ident_country_code\n';

/** A command as it is typed, or its words if one of them has a space in it. */
type Command = string | string[];

const wordsOf = (command: Command) => (typeof command === 'string' ? command.split(' ') : command);

export class TestRegistry {
  directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** The words of a command with the place of this registry, if it has one. */
  private placed(command: Command): string[] {
    const args = wordsOf(command);
    const isPlaceless = /^(backup verify|move-in|reconcile)\b/.test(args.join(' '));
    return isPlaceless ? args : [...args, '--persist-to', this.directory];
  }

  /** Starts the tool as a process; detached, it leads a process group of its own. */
  start(command: Command, detached = false) {
    return spawn(process.execPath, ['src/tool/index.ts', ...this.placed(command)], {
      env: { ...process.env, NO_COLOR: '1' },
      detached,
    });
  }

  /** Runs the tool as a process of its own; `input` is what it reads from standard input. */
  async spawn(command: Command, input: string | Buffer = ''): Promise<Ended> {
    await close(this.directory);
    return ended(this.start(command), input);
  }

  /** Runs the tool in this process. */
  async run(
    command: Command,
    input: string | Buffer | Readable = '',
    fault?: Fault,
  ): Promise<Ended> {
    return captured(() => runProgram(this.placed(command), openKept), input, fault);
  }

  /** Opens the bindings as a command that writes does; other commands wait until they are disposed of. */
  open(): Promise<Bindings> {
    return openKept({ persistTo: this.directory }, { isWritable: true });
  }

  /** Runs a command that has to succeed, and returns what it answers with --json. */
  // biome-ignore lint/suspicious/noExplicitAny: the answers of some thirty commands
  async done(command: Command, input: string | Buffer = ''): Promise<any> {
    const args = wordsOf(command);
    const { status, stdout, stderr } = await this.run([...args, '--json'], input);
    if (status !== 0) throw new Error(`${args.join(' ')}: status ${status}\n${stdout}${stderr}`);
    return stdout === '' ? undefined : JSON.parse(stdout);
  }

  /** Imports contacts of ALPHA from lines with the fields that a contact must have. */
  async importContacts(lines: string): Promise<void> {
    const args = ['contact', 'import', '-', '--registrar', 'ALPHA'];
    await this.done(args, contactHeader + lines);
  }

  /** Adds contacts of ALPHA from rows of files, with the UUIDs, creators and times that no file brings. */
  async addRecords(...rows: Record<string, string | undefined>[]): Promise<void> {
    const { env, dispose } = await this.open();
    const at = new Date();
    const origin = {
      actor: { type: 'operator', name: 'Operator' },
      request: { at, requestId: crypto.randomUUID() },
    } as const;
    const records = rows.map((row) => {
      const { uuid, creator_str: creator, created_at: createdAt, ...values } = row;
      const own = Object.entries({ uuid, creator, createdAt }).filter(([, value]) => value);
      return { ...readContact(values, 'ALPHA', at), ...Object.fromEntries(own) };
    });
    await importContacts({ db: openDatabase(env.DB), origin }, records);
    await dispose();
  }

  /** Imports contacts of ALPHA of which a test needs no more than their codes. */
  async addContacts(...codes: string[]): Promise<void> {
    const rest = 'Jaan Tamm,jaan@example.ee,+372.5123456,38001085718,priv,EE';
    await this.importContacts(codes.map((code) => `${code},${rest}\n`).join(''));
  }

  /** Writes a file beside the database. */
  async file(name: string, content: string | Buffer): Promise<string> {
    const file = path.join(this.directory, name);
    await writeFile(file, content);
    return file;
  }

  /** Says this SQL to the database file. */
  edit(sql: string): void {
    using database = new DatabaseSync(databaseFile(this.directory));
    database.exec(sql);
  }

  /** Every row of every table, as the database file holds them. */
  async rows(): Promise<Record<string, unknown[]>> {
    // A command may be writing: the end of a connection that may write would disturb it.
    const options = { readOnly: true, timeout: 30_000 };
    using database = new DatabaseSync(databaseFile(this.directory), options);
    const tables = database
      .prepare(
        "select name from sqlite_master where type = 'table' and name not like '\\_%' escape '\\'",
      )
      .all() as { name: string }[];
    return Object.fromEntries(
      tables.map(({ name }) => [name, database.prepare(`select * from "${name}"`).all()]),
    );
  }
}

/** Kills a process that was started detached, and at the same moment what it has started. */
export function killGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-pid!, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function ended(child: ReturnType<typeof spawn>, input: string | Buffer): Promise<Ended> {
  // A tool that is done before it has read everything closes the pipe.
  child.stdin!.on('error', () => {});
  child.stdin!.end(input);
  const [stdout, stderr] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, 'close'),
  ]);
  return { status: child.exitCode, stdout, stderr };
}
