import { expect, test } from 'vitest';
import { databaseBefore } from '../../support/old-database.ts';

test('a dispute that is not over gets a password, and one that is over or has one stays as it is', () => {
  const { database, migrate } = databaseBefore('dispute_passwords');
  database.exec(`
    insert into disputes (id, name, punycode, first_day, last_day, password, closed_at, created_at) values
      (1, 'a.ee', 'a.ee', '2020-01-01', '9999-12-31', null, null, ''),
      (2, 'b.ee', 'b.ee', '2020-01-01', '9999-12-31', 'sesame', null, ''),
      (3, 'c.ee', 'c.ee', '2020-01-01', '9999-12-31', null, '2021-01-01', ''),
      (4, 'd.ee', 'd.ee', '2020-01-01', '2020-01-01', null, null, ''),
      (5, 'e.ee', 'e.ee', '9998-01-01', '9999-12-31', null, null, '')`);
  migrate();
  const rows = database.prepare('select password from disputes order by id').all();
  const isMade = expect.stringMatching(/^[\da-f]{32}$/);
  const [made, ...others] = rows.map(({ password }) => password);
  expect([made, ...others]).toEqual([isMade, 'sesame', null, null, isMade]);
  expect(made).not.toBe(others.at(-1));
});

test('a copy of a copy names the first contact, also where that is gone', () => {
  const { database, migrate } = databaseBefore('dispute_passwords');
  const insert = database.prepare(`
    insert into contacts (id, copied_from, uuid, registrar_id, number, code, name, name_key, email, email_key, phone,
      ident, ident_key, ident_type, ident_country_code, auth_info, created_at, updated_at)
    values (?1, ?2, ?1, 1, ?1, ?1, '', '', '', '', '', '', '', '', '', '', '', '')`);
  const copies = [
    [5, null],
    [6, 5],
    [7, 6],
    [8, 7],
    [9, 2],
    [10, 9],
    [11, null],
  ] as const;
  for (const [id, copiedFrom] of copies) insert.run(id, copiedFrom);
  migrate();
  const rows = database.prepare('select copied_from from contacts order by id').all();
  expect(rows.map(({ copied_from }) => copied_from)).toEqual([null, 5, 5, 5, 2, 2, null]);
});
