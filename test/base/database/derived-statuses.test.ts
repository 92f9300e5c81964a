import { expect, test } from 'vitest';
import { databaseBefore } from '../../support/old-database.ts';

test('contacts that moved in with derived statuses lose these, and nothing else', () => {
  const { database, migrate } = databaseBefore('derived_statuses');
  const insert = database.prepare(`
    insert into contacts (uuid, registrar_id, number, code, name, name_key, email, email_key, phone, ident, ident_key,
      ident_type, ident_country_code, auth_info, created_at, updated_at, statuses)
    values (?1, 1, ?1, ?1, '', '', '', '', '', '', '', '', '', '', '', '', ?2)`);
  const [hold, old] = ['clientDeleteProhibited', 'vana'];
  const all = [['ok', 'linked'], ['linked'], ['ok', hold], [old, 'linked', hold], [hold], []];
  for (const [index, statuses] of all.entries()) insert.run(index, JSON.stringify(statuses));
  migrate();
  const rows = database.prepare('select statuses, version from contacts order by number').all();
  expect(rows.map(({ statuses, version }) => [JSON.parse(String(statuses)), version])).toEqual([
    [[], 2],
    [[], 2],
    [[hold], 2],
    [[old, hold], 2],
    [[hold], 1],
    [[], 1],
  ]);
});
