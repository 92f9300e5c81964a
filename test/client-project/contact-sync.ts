/**
 * Keeps a copy of a registrar's contacts in a SQLite database of its own: an example for registrars' programmers. Run it
 * every minute, with Node 24. It may be stopped at any moment: what it has seen and where it goes on are stored together.
 *
 *   npm install openapi-fetch@0.17 openapi-typescript@7
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
  fetch: patiently,
});

/** Waits where the registry asks to, and stops the program where it fails: the next run goes on from there. */
async function patiently(request: Request): Promise<Response> {
  const response = await fetch(request.clone());
  if (response.status === 429) {
    await pause(Number(response.headers.get('Retry-After')) * 1000);
    return patiently(request);
  }
  if (response.status < 300 || response.status === 404) return response;
  throw new Error(`${request.method} ${request.url}: ${response.status} ${await response.text()}`);
}

type Contact =
  paths['/repp/v1/contacts/{code}']['get']['responses'][200]['content']['application/json']['data']['contact'];

const database = new DatabaseSync(process.argv[2] ?? 'contacts.sqlite');
database.exec(`
  pragma journal_mode = wal;
  create table if not exists contacts (code text primary key, contact text not null);
  -- Where to go on: after this place in the changes since this time.
  create table if not exists position (id integer primary key check (id = 1), since text not null, after text);
  insert or ignore into position values (1, '1970-01-01', null);`);

const keep = database.prepare('insert or replace into contacts values (?, ?)');
const drop = database.prepare('delete from contacts where code = ?');
const move = database.prepare('update position set since = ?, after = ?');

function store(contacts: readonly Contact[]): void {
  for (const contact of contacts) keep.run(contact.code, JSON.stringify(contact));
}

/** Does all of it or, if the program ends meanwhile, nothing. */
function atOnce(changes: () => void): void {
  database.exec('begin immediate');
  changes();
  database.exec('commit');
}

/** Reads what has been created and changed since the last run, or everything in the first one. */
async function followChanges(): Promise<void> {
  for (;;) {
    const { since, after } = database.prepare('select since, after from position').get() as {
      since: string;
      after: string | null;
    };
    const query = { details: 'true' as const, updated_since: since, ...(after && { after }) };
    const { data, response } = await registry.GET('/repp/v1/contacts', { params: { query } });
    const contacts = (data?.contacts ?? []) as Contact[];
    const next = nextOf(response);
    atOnce(() => {
      store(contacts);
      // A page may be empty although another follows. Behind the last one, the newest change comes again.
      move.run(next ? since : (contacts.at(-1)?.updated_at ?? since), next);
    });
    if (!next) return;
  }
}

/** The `after` of the link to the next page; null on the last one. */
function nextOf(response: Response): string | null {
  const [, link] = /<([^>]+)>; rel="next"/.exec(response.headers.get('Link') ?? '') ?? [];
  return link ? new URL(link).searchParams.get('after') : null;
}

/** Reads what the registry and the registrants have done, which includes the registry's deletions. */
async function readNotifications(): Promise<void> {
  for (;;) {
    const { data } = await registry.GET('/repp/v1/registrar/notifications');
    const notification = data?.data;
    if (!notification || !('id' in notification)) return;
    const { id, attached_obj_type, attached_obj_id } = notification;
    if (attached_obj_type === 'Contact') await readContact(attached_obj_id);
    const params = { path: { id } };
    const body = { notification: { read: true as const } };
    await registry.PUT('/repp/v1/registrar/notifications/{id}', { params, body });
  }
}

/** The contact as it is now, or its absence. */
async function readContact(code: string): Promise<void> {
  const { data } = await registry.GET('/repp/v1/contacts/{code}', { params: { path: { code } } });
  if (data) store([data.data.contact]);
  else drop.run(code);
}

/** The changes tell nothing of what the registrar itself has deleted, nor of what has moved in with an old time. */
async function compare(): Promise<void> {
  const { data } = await registry.GET('/repp/v1/contacts', { params: { query: { limit: 1 } } });
  const held = database.prepare('select code from contacts').all() as { code: string }[];
  if (held.length === data?.total_number_of_records) return;
  const missing = new Set(held.map(({ code }) => code));
  let after: string | null = null;
  do {
    const query: { after?: string } = after ? { after } : {};
    const { data, response } = await registry.GET('/repp/v1/contacts', { params: { query } });
    for (const code of (data?.contacts ?? []) as string[]) {
      if (!missing.delete(code)) await readContact(code);
    }
    after = nextOf(response);
  } while (after);
  // A contact that was created again meanwhile is not gone.
  for (const code of missing) await readContact(code);
}

await followChanges();
await readNotifications();
await compare();
