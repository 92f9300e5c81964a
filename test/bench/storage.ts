import { globSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Env } from '../../src/base/env.ts';
import { maximumDatabaseBytes } from '../../src/view/alarm.ts';
import { cost, counted } from '../support/counted.ts';
import { addPerson, addRegistrar, newContact, send } from '../support/fixtures.ts';
import { migrate, openForRequests } from '../support/local-data.ts';
import { atMost, type Figure, stated } from './figure.ts';

const contactCount = 10_000_000;
const rowsPerStatement = 100_000;
const contactsPerPerson = 2;

type Registrar = Awaited<ReturnType<typeof addRegistrar>>;

/**
 * The bytes that a contact takes, without and with history, and the cost of calls among ten million contacts of one
 * registrar. Takes some ten minutes, 13 GB in the directory for temporary files, and 9 GB of memory.
 */
export async function storage(): Promise<Figure[]> {
  const directory = await mkdtemp(path.join(tmpdir(), 'registry-edge-storage-'));
  try {
    await migrate(directory);
    const registrar = await withData(directory, (env) => addRegistrar(env, { contactCount }));
    fill(directory, registrar, contactsFrom, blocksFrom);
    const without = await withData(directory, (env) => sizeOf(env, 'without history'));
    fill(directory, registrar, historyFrom);
    const withHistory = await withData(directory, (env) => sizeOf(env, 'with history'));
    const calls = await withData(directory, (env) => callsAmong(env, registrar));
    return [...without, ...withHistory, ...calls];
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function withData<Result>(directory: string, use: (env: Env) => Promise<Result>) {
  const { env, dispose } = await openForRequests(directory);
  try {
    return await use(env);
  } finally {
    await dispose();
  }
}

/** Runs the statements for ranges of numbers. The triggers are away meanwhile: `blocksFrom` does their work. */
function fill(directory: string, { id, code }: Registrar, perRange: string, once?: string): void {
  const [file] = globSync(path.join(directory, 'v3/d1/miniflare-D1DatabaseObject/*.sqlite')).filter(
    (name) => !name.endsWith('metadata.sqlite'),
  );
  using database = new DatabaseSync(file!);
  database.exec(
    'pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -8000000',
  );
  const triggers = database
    .prepare("select name, sql from sqlite_master where type = 'trigger'")
    .all();
  for (const { name } of triggers) database.exec(`drop trigger ${name}`);
  const statement = database.prepare(
    `with recursive numbers (n) as (select cast($first as integer) union all select n + 1 from numbers where n < $last)
     ${perRange}`,
  );
  // One transaction: after each, SQLite writes every page of the random indexes.
  database.exec('begin');
  for (let first = 1; first <= contactCount; first += rowsPerStatement) {
    statement.run({ first, last: first + rowsPerStatement - 1, id, code });
    if (first % 1_000_000 === 1) console.error(`  ${first.toLocaleString('en')}`);
  }
  if (once) database.prepare(once).run({ id });
  for (const { sql } of triggers) database.exec(sql as string);
  database.exec('commit');
  database.exec('pragma journal_mode = wal');
}

/** Random values where a registry has them, because an index of random values has pages that are not full. */
const uuid = `lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-' || hex(randomblob(2)) || '-' ||
  hex(randomblob(2)) || '-' || hex(randomblob(6)))`;
/** An odd factor gives each number below 2^32 another code. */
const codeOf = (n: string) => `$code || ':' || printf('%08X', (${n} * 2654435761) & 4294967295)`;
const identOf = (n: string) =>
  `printf('%011d', 30000000000 + (${n} / ${contactsPerPerson} * 2654435761) % 39999999989)`;
const at = "'2026-01-02T03:04:05.678Z'";

const contactsFrom = `
  insert into contacts (uuid, registrar_id, number, code, name, name_key, email, email_key, phone, ident, ident_key, ident_type,
    ident_country_code, street, city, zip, country_code, auth_info, creator, created_at, updated_at)
  select ${uuid}, $id, n, ${codeOf('n')}, 'Mari Maasikas ' || n, 'MARI MAASIKAS ' || n,
    'mari' || n || '@example.ee', 'MARI' || n || '@EXAMPLE.EE', '+372.5' || printf('%06d', n % 1000000), ${identOf('n')}, ${identOf('n')}, 'priv', 'EE', 'Pikk ' || n, 'Tallinn',
    '10123', 'EE', lower(hex(randomblob(11))), '1-ApiUser: ats', ${at}, ${at}
  from numbers`;

const blocksFrom = `
  insert into contact_blocks (registrar_id, block, count)
  select $id, number >> 10, count(*) from contacts where registrar_id = $id group by number >> 10`;

const isNew = (column: string) => `json_object('from', null, 'to', ${column})`;
const historyFrom = `
  insert into history (occurred_at, subject, subject_key, subject_uuid, action, actor_type, actor, request_id, changes)
  select ${at}, 'contact', code, uuid, 'create', 'api_user', creator, ${uuid}, json_object(
    ${Object.entries({
      ...{ name: 'name', email: 'email', phone: 'phone', ident: 'ident', identType: 'ident_type' },
      ...{ identCountryCode: 'ident_country_code', street: 'street', city: 'city', zip: 'zip' },
      ...{ countryCode: 'country_code' },
    })
      .map(([field, column]) => `'${field}', ${isNew(column)}`)
      .join(', ')}, 'authInfo', json('{"redacted":true}'))
  from numbers join contacts on id = n and code <> $code and registrar_id = $id`;

async function sizeOf(env: Env, kind: string): Promise<Figure[]> {
  const { meta } = await env.DB.prepare('select 1').run();
  const bytes = meta.size_after / contactCount;
  return [
    stated(`Bytes a contact, ${kind}`, Math.round(bytes), ''),
    stated(`Contacts in 10 GB, ${kind}`, maximumDatabaseBytes / bytes / 1_000_000, 'million'),
  ];
}

async function callsAmong(env: Env, registrar: Registrar): Promise<Figure[]> {
  const middle = contactCount / 2;
  const found = await env.DB.prepare('select code, ident from contacts where id = ?')
    .bind(middle)
    .first<{ code: string; ident: string }>();
  const { code, ident } = found!;
  const person = await addPerson(env, { code: ident });
  const place = Buffer.from(String(middle).padStart(15, '0')).toString('base64url');
  const list = '/repp/v1/contacts';
  const own = `${list}/${registrar.code}:NEW`;
  const get = send('GET', registrar);
  const calls: [name: string, path: string, init: RequestInit, most?: number][] = [
    ['first page, codes', list, get, 250],
    ['first page, details', `${list}?details=true`, get, 450],
    ['page after the 5,000,000th', `${list}?details=true&after=${place}`, get, 450],
    ['page at offset 5,000,000', `${list}?details=true&offset=${middle}`, get],
    ['one contact', `${list}/${code}`, get],
    ["a person's contacts", '/api/v1/registrant/contacts', send('GET', person)],
    ['create', list, send('POST', registrar, { contact: newContact({ id: 'NEW' }) })],
    ['update', own, send('PUT', registrar, { contact: { name: 'Jüri Tamm' } })],
    ['delete', own, send('DELETE', registrar)],
  ];
  const bindings = counted({ ...env, VERSION: { id: '', tag: '', timestamp: '' } });
  const figures: Figure[] = [];
  for (const [name, path, init, most] of calls) {
    const { status, answer } = await cost(bindings, path, init);
    if (status !== 200) throw new Error(`${name}: ${status}`);
    const { rowsRead = 0 } = answer;
    const title = `Rows read among 10,000,000 contacts: ${name}`;
    figures.push(
      most === undefined ? stated(title, rowsRead, '') : atMost(title, rowsRead, '', most),
    );
  }
  return figures;
}
