/**
 * Keeps a copy of a registrar's contacts in a SQLite database of its own: an example for registrars' programmers. Run it
 * every minute with Node 24 or newer, and with --all once a day, which reads everything again. It may be stopped at any
 * moment: what it has seen and where it goes on are stored together. It marks the notifications about contacts as read.
 *
 *   npm install openapi-fetch@0.17 openapi-typescript@7 && npm pkg set type=module
 *   npx openapi-typescript http://localhost:8787/openapi.json -o registry.ts
 *   REGISTRY=http://localhost:8787 API_USER=alpha:alpha-demo-secret node contact-sync.ts contacts.sqlite
 */
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import createClient from 'openapi-fetch';
import type { paths } from './registry.ts';

const { REGISTRY = '', API_USER = '' } = process.env;
const registry = createClient<paths>({
  baseUrl: REGISTRY,
  headers: { Authorization: `Basic ${Buffer.from(API_USER).toString('base64')}` },
  fetch: (request) => patiently(request),
});

/** Waits where the registry asks to, and stops the program where it fails: the next run goes on from there. */
async function patiently(request: Request, expected?: 404): Promise<Response> {
  const response = await fetch(request.clone());
  if (response.status === 429) {
    await pause(Number(response.headers.get('Retry-After') ?? 1) * 1000);
    return patiently(request, expected);
  }
  if (response.ok || response.status === expected) return response;
  throw new Error(`${request.method} ${request.url}: ${response.status} ${await response.text()}`);
}

type Contact =
  paths['/repp/v1/contacts/{code}']['get']['responses'][200]['content']['application/json']['data']['contact'];

const [file = 'contacts.sqlite', option] = process.argv.slice(2);
const database = new DatabaseSync(file);
// A run that begins before another has ended fails here: the database is locked.
database.exec(`
  pragma locking_mode = exclusive;
  pragma journal_mode = wal;
  -- The pass is the number of the reading of everything that saw the contact last.
  create table if not exists contacts (code text primary key, contact text not null, pass integer not null);
  -- Where to go on: after this place in the changes since this time, or in everything.
  create table if not exists position (
    id integer primary key check (id = 1), pass integer not null, is_everything integer not null, since text not null, after text
  );
  begin immediate;`);
// Whoever begins reads everything, and then what has changed since the day before, whatever the clocks say.
database
  .prepare('insert or ignore into position values (1, 1, true, ?, null)')
  .run(new Date(Date.now() - 24 * 60 * 60 * 1000).toISOString());
database.exec('commit');

interface Position {
  pass: number;
  is_everything: number;
  since: string;
  after: string | null;
}
const position = () => database.prepare('select * from position').get() as unknown as Position;

const keep = database.prepare('insert or replace into contacts select ?, ?, pass from position');
const drop = database.prepare('delete from contacts where code = ?');
const move = database.prepare('update position set is_everything = ?, since = ?, after = ?');

function store(contacts: readonly Contact[]): void {
  for (const contact of contacts) keep.run(contact.code, JSON.stringify(contact));
}

/** Does all of it or, if the program ends meanwhile, nothing. */
function atOnce(changes: () => void): void {
  database.exec('begin immediate');
  changes();
  database.exec('commit');
}

/** Reads everything, if that has been begun, and then what has been created and changed since. */
async function readOn(): Promise<void> {
  for (;;) {
    const { is_everything, since, after } = position();
    const query = {
      details: 'true' as const,
      ...(is_everything ? {} : { updated_since: since }),
      ...(after && { after }),
    };
    const { data, response } = await registry.GET('/repp/v1/contacts', { params: { query } });
    const contacts = data!.contacts as Contact[];
    const next = nextOf(response);
    // A page may be empty. The newest change comes again in the next run.
    const newest = (!is_everything && contacts.at(-1)?.updated_at) || since;
    atOnce(() => {
      store(contacts);
      move.run(next ? is_everything : 0, newest, next);
      if (is_everything && !next) {
        database.exec('delete from contacts where pass < (select pass from position)');
      }
    });
    if (!next && !is_everything) return;
  }
}

/** The `after` of the link to the next page; null on the last one. */
function nextOf(response: Response): string | null {
  const [, link] = /<([^>]+)>; rel="next"/.exec(response.headers.get('Link') ?? '') ?? [];
  return link ? new URL(link).searchParams.get('after') : null;
}

/** Reads what the registry has deleted, and leaves the notifications that are about something else to people. */
async function readNotifications(): Promise<void> {
  const path = '/repp/v1/registrar/notifications/all_notifications';
  let after: string | null = null;
  do {
    const query: { after?: string } = after ? { after } : {};
    const { data, response } = await registry.GET(path, { params: { query } });
    for (const { id, attached_obj_type, attached_obj_id, fields } of data!.data) {
      if (attached_obj_type !== 'Contact') continue;
      // A change is among the changes.
      if (fields.length === 0) await readContact(attached_obj_id);
      const body = { notification: { read: true as const } };
      const params = { path: { id } };
      await registry.PUT('/repp/v1/registrar/notifications/{id}', { params, body });
    }
    after = nextOf(response);
  } while (after);
}

/** The contact as it is now, or its absence. */
async function readContact(code: string): Promise<void> {
  const params = { path: { code } };
  const fetch = (request: Request) => patiently(request, 404);
  const { data } = await registry.GET('/repp/v1/contacts/{code}', { params, fetch });
  if (data) store([data.data.contact]);
  else drop.run(code);
}

/** Whether there are as many contacts as the registry has: what the registrar itself has deleted is in no change. */
async function isComplete(): Promise<boolean> {
  const { data } = await registry.GET('/repp/v1/contacts', { params: { query: { limit: 1 } } });
  const held = database.prepare('select count(*) as count from contacts').get();
  return held?.count === data!.total_number_of_records;
}

function readEverything(): Promise<void> {
  database.exec('update position set pass = pass + 1, is_everything = true, after = null');
  return readOn();
}

await readOn();
await readNotifications();
if (option === '--all') {
  await readEverything();
} else if (!(await isComplete())) {
  // Contacts that were created meanwhile are among the changes.
  await readOn();
  if (!(await isComplete())) await readEverything();
}
