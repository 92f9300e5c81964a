import type { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, test } from 'vitest';
import { databaseBefore } from '../../support/old-database.ts';

/** Whose the contacts and domains of old entries are said to be, by the migration that began to record it. */

let database: DatabaseSync;
let migrate: () => void;
beforeEach(() => {
  ({ database, migrate } = databaseBefore('registrars_of_history'));
});

type Entry = [action: string, actorType: string, changes?: object];

function addEntries(subject: string, key: string, uuid: string | null, ...entries: Entry[]): void {
  const insert = database.prepare(`
    insert into history (occurred_at, subject, subject_key, subject_uuid, action, actor_type, actor, changes)
    values ('', ?, ?, ?, ?, ?, '', ?)`);
  for (const [action, actorType, changes = {}] of entries) {
    insert.run(subject, key, uuid, action, actorType, JSON.stringify(changes));
  }
}

/** Applies the migration, and returns the registrar of each entry. */
function recorded(): unknown[] {
  migrate();
  const rows = database.prepare('select registrar from history order by id').all();
  return rows.map(({ registrar }) => registrar);
}

const to = (registrar: string) => ({ registrar: { from: null, to: registrar } });

test('a contact that exists is its registrar’s, whatever moved in before', () => {
  addEntries('contact', 'BETA:1', 'u', ['create', 'move_in', to('BETA')], ['update', 'operator']);
  database.exec(`
    insert into contacts (uuid, registrar_id, number, code, name, name_key, email, email_key, phone, ident, ident_key,
      ident_type, ident_country_code, auth_info, created_at, updated_at)
    values ('u', 1, 1, 'BETA:1', '', '', '', '', '', '', '', '', '', '', '', '')`);
  expect(recorded()).toEqual(['ALPHA', 'ALPHA']);
});

test('a contact that moved in and was deleted was the registrar’s with which it moved in last', () => {
  const left = { registrar: { from: 'BETA', to: null } };
  const [subject, code, uuid] = ['contact', 'BETA:1', 'u'] as const;
  addEntries(subject, code, uuid, ['create', 'move_in', to('BETA')], ['delete', 'move_in', left]);
  addEntries(subject, code, uuid, ['create', 'move_in', to('ALPHA')], ['delete', 'api_user']);
  expect(recorded()).toEqual(['ALPHA', 'ALPHA', 'ALPHA', 'ALPHA']);
});

test('a contact that was made here and deleted was the registrar’s whose code its own begins with', () => {
  addEntries('contact', 'BETA:1', 'u', ['create', 'api_user'], ['delete', 'operator']);
  addEntries('contact', 'GONE:1', 'v', ['create', 'api_user'], ['delete', 'operator']);
  expect(recorded()).toEqual(['BETA', 'BETA', null, null]);
});

test('nobody is named for a contact of which the history does not know where it came from', () => {
  addEntries('contact', 'BETA:1', 'u', ['update', 'move_in'], ['delete', 'api_user']);
  addEntries('contact', 'BETA:2', 'v', ['delete', 'api_user']);
  expect(recorded()).toEqual([null, null, null]);
});

test('each entry of a domain names the registrar that the domain had after it, or last', () => {
  const change = { registrar: { from: 'ALPHA', to: 'BETA' } };
  const removal = { registrar: { from: 'BETA', to: null } };
  addEntries('domain', 'õ.ee', null, ['update', 'operator'], ['update', 'operator', change]);
  addEntries('domain', 'õ.ee', null, ['update', 'operator'], ['delete', 'operator', removal]);
  addEntries('domain', 'here.ee', null, ['update', 'operator']);
  addEntries('domain', 'unknown.ee', null, ['update', 'operator']);
  database.exec(
    `insert into domains (name, punycode, registrar_id, created_at) values ('here.ee', 'here.ee', 1, '')`,
  );
  expect(recorded()).toEqual(['ALPHA', 'BETA', 'BETA', 'BETA', 'ALPHA', null]);
});

test('entries of what belongs to no registrar name none', () => {
  addEntries('auction', 'õ.ee', 'u', ['create', 'operator']);
  addEntries('registrar', 'ALPHA', null, ['create', 'operator']);
  expect(recorded()).toEqual([null, null]);
});

test('the history cannot be changed when the migration is over', () => {
  addEntries('contact', 'BETA:1', 'u', ['create', 'api_user']);
  recorded();
  const change = () => database.exec("update history set registrar = 'ALPHA'");
  expect(change).toThrow('history is append-only');
  database.exec("insert into history_permits values (1, 'remove_values', 1, 1)");
  expect(change).toThrow('history is append-only');
});
