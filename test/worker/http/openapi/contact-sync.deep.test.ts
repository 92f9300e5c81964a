import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { contacts } from '../../../../drizzle/schema.ts';
import { openDatabase } from '../../../../src/base/database/open.ts';
import { deleteAnyContact } from '../../../../src/contact/operator/administer.ts';
import { registrarClient } from '../../../support/client.ts';
import { addDomainOf, bearer, newContact, operator, send } from '../../../support/fixtures.ts';
import { type SeededRegistrar, seedRegistrar } from '../../../support/seed.ts';
import { startWorker } from '../../../support/worker.ts';

/** The example for registrars' programmers, on a machine that is switched off now and then. */

const contactCount = Number(process.env.SYNC_CONTACTS ?? 1_600);
const rounds = 3;
const writers = 4;
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
  registrar = await seedRegistrar(worker.env, contactCount);
});

afterAll(() => rm(directory, { recursive: true }));

/** Runs the example to its end, or until `death` kills it: whether it was killed. */
async function sync(
  args: readonly string[],
  { death, url = worker.url.origin }: { death?: Promise<unknown>; url?: string } = {},
): Promise<boolean> {
  const user = Buffer.from(registrar.authorization.slice('Basic '.length), 'base64').toString();
  const env = { ...process.env, REGISTRY: url, API_USER: user };
  const child = spawn(process.execPath, ['contact-sync.ts', ...args], { cwd: directory, env });
  let errors = '';
  child.stderr.on('data', (text) => {
    errors += text;
  });
  const ended = once(child, 'close');
  if (death) {
    await Promise.race([ended, death]);
    child.kill('SIGKILL');
  }
  const [status, signal] = await ended;
  if (status !== 0 && signal !== 'SIGKILL') throw new Error(errors);
  return signal === 'SIGKILL';
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
      await deleteAnyContact({ db: openDatabase(worker.env.DB), origin: operator }, code).catch(
        () => {},
      );
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

it('the copy ends equal to the list of a busy registry, killed and started again at random', async () => {
  let killed = 0;
  for (let round = 0; round < rounds; round++) {
    let isOver = false;
    const writing = Array.from({ length: writers }, () => write(() => isOver));
    for (let kill = 0; kill < 6; kill++) {
      if (await sync(['copy.sqlite'], { death: pause(200 + number(1_500)) })) killed += 1;
    }
    isOver = true;
    const counts = await Promise.all(writing);
    expect(Math.min(...counts)).toBeGreaterThan(0);
    await sync(['copy.sqlite']);
    expect(held('copy.sqlite')).toEqual(await listed());
  }
  expect(killed).toBeGreaterThan(0);
}, 3_600_000);

/** Gives this many contacts a change each, as late as now. */
async function change(count: number): Promise<void> {
  await worker.env.DB.prepare(
    `update contacts set name = name || '!', name_key = name_key || '!',
       updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', format('+%f seconds', number / 1000.0))
     where registrar_id = ? and number in (
       select number from contacts where registrar_id = ?1 order by number limit ?)`,
  )
    .bind(registrar.id, count)
    .run();
}

/** A server that answers in the registry's place; undefined passes the request on. */
async function inPlace(answer: (path: string) => Promise<Response | undefined>) {
  const server = createServer(async ({ url = '', headers }, response) => {
    const { authorization = '' } = headers;
    const passedOn = { authorization, 'Accept-Encoding': 'identity' };
    const given =
      (await answer(url)) ?? (await fetch(worker.url.origin + url, { headers: passedOn }));
    response.writeHead(given.status, [...given.headers].flat()).end(await given.text());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.dispose]: () => void server.close(),
  };
}

it('asks for one page of changes where nothing has changed, even after a full last page', async () => {
  await sync(['copy.sqlite']);
  await change(200);
  await sync(['copy.sqlite']);
  expect(held('copy.sqlite')).toEqual(await listed());
  const paths: string[] = [];
  using registry = await inPlace(async (path) => {
    paths.push(new URL(path, worker.url).pathname);
    return undefined;
  });
  await sync(['copy.sqlite'], { url: registry.url });
  expect(paths).toEqual([
    '/repp/v1/contacts',
    '/repp/v1/registrar/notifications/all_notifications',
    '/repp/v1/contacts',
  ]);
}, 600_000);

it('sees with --all what is no change', async () => {
  await sync(['copy.sqlite']);
  const { DB } = worker.env;
  const [row] = await openDatabase(DB).select().from(contacts).limit(1);
  await addDomainOf(worker.env, row!);
  await sync(['copy.sqlite']);
  expect(held('copy.sqlite')).not.toEqual(await listed());
  await sync(['copy.sqlite', '--all']);
  expect(held('copy.sqlite')).toEqual(await listed());
}, 600_000);

it('keeps its copy where the registry is not found', async () => {
  await sync(['copy.sqlite']);
  const before = held('copy.sqlite');
  const url = `${worker.url.origin}/elsewhere`;
  await expect(sync(['copy.sqlite', '--all'], { url })).rejects.toThrow('/elsewhere');
  expect(before.size).toBeGreaterThan(0);
  expect(held('copy.sqlite')).toEqual(before);
}, 600_000);

it('leaves a run that begins before another has ended without effect', async () => {
  const asked = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  using registry = await inPlace(async () => {
    asked.resolve();
    await end.promise;
    return new Response();
  });
  const waiting = sync(['copy.sqlite'], { url: registry.url, death: end.promise });
  await asked.promise;
  await expect(sync(['copy.sqlite'])).rejects.toThrow('database is locked');
  end.resolve();
  await waiting;
}, 600_000);

it('does not read everything because a contact was created meanwhile', async () => {
  await sync(['copy.sqlite']);
  const paths: string[] = [];
  using registry = await inPlace(async (path) => {
    paths.push(path);
    if (path.includes('limit=1') && paths.filter((one) => one === path).length === 1) {
      await repp.create(registrar, newContact());
    }
    return undefined;
  });
  await sync(['copy.sqlite'], { url: registry.url });
  expect(held('copy.sqlite')).toEqual(await listed());
  const lists = paths.filter((path) => path.includes('details=true'));
  expect(lists.every((path) => path.includes('updated_since='))).toBe(true);
}, 600_000);

it('leaves the notifications that are about something else to people', async () => {
  const secret = send('POST', registrar);
  await worker.fetch('/repp/v1/registrar/api_user/secret', secret);
  await sync(['copy.sqlite']);
  const path = '/repp/v1/registrar/notifications/all_notifications';
  const response = await worker.fetch(path, send('GET', registrar));
  expect(await response.json()).toMatchObject({ data: [{ attached_obj_type: 'ApiUser' }] });
}, 600_000);
