import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deleteAnyContact } from '../../../src/contact/administer.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { registrarClient } from '../../client.ts';
import { bearer, newContact, operator, send } from '../../fixtures.ts';
import { type SeededRegistrar, seedRegistrar } from '../../seed.ts';
import { startWorker } from '../../worker.ts';

/** The example for registrars' programmers, on a machine that is switched off now and then. */

const contactCount = Number(process.env.SYNC_CONTACTS ?? 1_500);
const rounds = 4;
const writers = 4;
const tools = path.resolve('test/client-project/node_modules');
const example = path.resolve('test/client-project/contact-sync.ts');

const worker = startWorker();
const repp = registrarClient(worker);
let registrar: SeededRegistrar;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'contact-sync-'));
  await symlink(path.resolve('node_modules'), path.join(directory, 'node_modules'));
  await writeFile(path.join(directory, 'package.json'), '{"type": "module"}');
  await copyFile(example, path.join(directory, 'contact-sync.ts'));
  const generator = path.join(tools, 'openapi-typescript/bin/cli.js');
  await run(generator, `${worker.url.origin}/openapi.json`, '-o', 'registry.ts');
  registrar = await seedRegistrar(worker.env, contactCount);
});

afterAll(() => rm(directory, { recursive: true }));

async function run(...command: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: directory });
  return stdout;
}

/** Runs the example to its end, or until it is killed. */
async function sync(name: string, killedAfterMilliseconds?: number): Promise<void> {
  const user = Buffer.from(registrar.authorization.slice('Basic '.length), 'base64').toString();
  const env = { ...process.env, REGISTRY: worker.url.origin, API_USER: user };
  const child = spawn(process.execPath, ['contact-sync.ts', name], { cwd: directory, env });
  let errors = '';
  child.stderr.on('data', (text) => {
    errors += text;
  });
  const ended = once(child, 'close');
  if (killedAfterMilliseconds !== undefined) {
    await Promise.race([ended, pause(killedAfterMilliseconds)]);
    child.kill('SIGKILL');
  }
  const [status, signal] = await ended;
  if (status !== 0 && signal !== 'SIGKILL') throw new Error(errors);
}

/** The registrar's contacts as the registry lists them, by code. */
async function listed() {
  const all = new Map<string, unknown>();
  for (let query: string | undefined = '?details=true'; query !== undefined; ) {
    const response = await repp.request(registrar, 'GET', query);
    const { contacts } = (await response.json()) as { contacts: { code: string }[] };
    for (const contact of contacts) all.set(contact.code, contact);
    const [, link] = /<([^>]+)>/.exec(response.headers.get('Link') ?? '') ?? [];
    query = link && new URL(link).search;
  }
  return all;
}

function held(name: string) {
  using database = new DatabaseSync(path.join(directory, name));
  const rows = database.prepare('select code, contact from contacts').all();
  return new Map(rows.map(({ code, contact }) => [code, JSON.parse(contact as string)]));
}

const number = (below: number) => Math.floor(Math.random() * below);
const codeOf = (n: number) => `${registrar.code}:${n.toString(16).toUpperCase().padStart(8, '0')}`;

/** Creates, changes and deletes contacts, as the registrar's other programs, a registrant and the operator do. */
async function write(isOver: () => boolean): Promise<number> {
  const person = { authorization: await bearer(worker) };
  let count = 0;
  for (; !isOver(); count++) {
    const code = codeOf(number(contactCount) + 1);
    const way = number(10);
    if (way < 4) await repp.update(registrar, code, { city: null, name: `Name ${number(1e6)}` });
    else if (way < 6) await repp.create(registrar, newContact());
    else if (way < 8) await repp.delete(registrar, code);
    else if (way === 8) {
      await deleteAnyContact(openDatabase(worker.env.DB), operator, code).catch(() => {});
    } else {
      const own = await worker.fetch('/api/v1/registrant/contacts?limit=20', send('GET', person));
      const { contacts } = (await own.json()) as { contacts: { id: string }[] };
      const id = contacts[number(contacts.length)]?.id;
      const change = send('PATCH', person, { name: `Mari ${number(1e6)}` });
      if (id) await worker.fetch(`/api/v1/registrant/contacts/${id}`, change);
    }
  }
  return count;
}

it('compiles with the types of the document', async () => {
  const compiler = path.join(tools, 'typescript/bin/tsc');
  const options = ['--strict', '--noEmit', '--noUncheckedIndexedAccess', '--skipLibCheck'];
  const modules = ['--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2024'];
  const types = ['--types', 'node', '--allowImportingTsExtensions'];
  const found = await run(compiler, ...options, ...modules, ...types, 'contact-sync.ts').catch(
    ({ stdout }: { stdout: string }) => stdout,
  );
  expect(found).toBe('');
});

it('ends equal to the list of a busy registry, killed and started again at random', async () => {
  for (let round = 0; round < rounds; round++) {
    let isOver = false;
    const writing = Array.from({ length: writers }, () => write(() => isOver));
    for (let kill = 0; kill < 6; kill++) await sync('copy.sqlite', 200 + number(1_500));
    isOver = true;
    const counts = await Promise.all(writing);
    expect(Math.min(...counts)).toBeGreaterThan(0);
    await sync('copy.sqlite');
    expect(held('copy.sqlite')).toEqual(await listed());
  }
}, 3_600_000);
