import { expect, test } from 'vitest';
import { isSelect, readOnly, recordLooks } from '../../src/desk/guard.ts';
import { shareWorker } from '../support/worker.ts';

const worker = shareWorker();

test.each([
  'select 1',
  ' \n SELECT replace(name, ?, ?) from domains',
  'select 1 -- one; and a comment',
  "select 'a; delete from contacts' as text",
  'with a (n) as (select 1) select n from a',
  'with recursive a (n) as (select 1 union all select n + 1 from a where n < 3), b as materialized (select 2) select * from a, b',
  'with `delete` as (select 1) select * from `delete`',
])('lets a query pass: %s', (sql) => {
  expect(isSelect(sql)).toBe(true);
});

test.each([
  'delete from contacts',
  'insert into contacts select * from contacts',
  'replace into contacts values (1)',
  'update contacts set name = 1 returning (select 1)',
  '-- select\ndelete from contacts',
  '/* select */ delete from contacts',
  '/* with */ with a as (select 1) delete from contacts where id in a',
  'with a as (select 1) delete from contacts where id in (select 1)',
  'with a as (select 1) update contacts set name = (select 1)',
  'with a as (select 1) insert into contacts select * from a',
  'with a as (select 1) replace into contacts select * from a',
  'with recursive a (n) as (values (1)) /* select */ delete from contacts',
  'with "select" as (select 1) delete from contacts',
  'with [select] as (select 1) delete from contacts',
  "with a as (select ')select') delete from contacts",
  'select 1; delete from contacts',
  'select 1;delete from contacts',
  'select /* ; */ 1; -- delete\ndelete from contacts',
  "select $a('), 1; delete from contacts; --')",
  "select @a('), 1; delete from contacts; --')",
  'pragma user_version = 7',
  'pragma foreign_keys',
  'explain delete from contacts',
  "attach 'a' as b",
  'vacuum',
  'begin',
  'drop table contacts',
  'create table a as select 1',
  'values (1)',
  'selects',
  '',
])('refuses what is no query: %s', (sql) => {
  expect(isSelect(sql)).toBe(false);
});

test('refuses to prepare what is no query, so neither a batch nor a bound statement has it', () => {
  const { DB } = readOnly(worker.env);
  expect(() => DB.prepare('delete from sweeps')).toThrow('the desk only reads');
});

test('leaves of the bindings only what reads', () => {
  const { DB, LISTS } = readOnly(worker.env);
  expect(Object.keys(DB)).toEqual(['prepare', 'batch']);
  expect(Object.keys(LISTS)).toEqual(['get', 'list']);
});

test('passes queries, alone and in a batch, with their values', async () => {
  const { DB, LISTS } = readOnly(worker.env);
  const one = DB.prepare('select ? as one').bind(1);
  expect(await one.first('one')).toBe(1);
  expect((await DB.batch([one, one])).map(({ results }) => results)).toEqual([
    [{ one: 1 }],
    [{ one: 1 }],
  ]);
  expect(await LISTS.get('nothing')).toBeNull();
  expect((await LISTS.list({ prefix: 'nothing' })).keys).toEqual([]);
});

test('lets looks be recorded, and none without a look', async () => {
  const { DB } = readOnly(worker.env);
  const key = crypto.randomUUID();
  const at = new Date('2026-11-28T12:00:00Z');
  await recordLooks(DB, [{ subject: 'contact', key }], "o'hara@registry.example", at);
  await recordLooks(DB, [], 'nobody@registry.example', at);
  const { results } = await DB.prepare(
    'select looked_at, looked_by, subject, key from desk_looks where key = ? or looked_by = ?',
  )
    .bind(key, 'nobody@registry.example')
    .all();
  const looked_by = "o'hara@registry.example";
  const looked_at = '2026-11-28T12:00:00.000Z';
  expect(results).toEqual([{ looked_at, looked_by, subject: 'contact', key }]);
});
