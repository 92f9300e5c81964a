import { expect, test } from 'vitest';
import { databaseBefore } from '../../support/old-database.ts';

test('a check of a claim without a value ends, with a new version, and others stay', () => {
  const { database, migrate } = databaseBefore('claims_without_value');
  const check = JSON.stringify({ id: 'a', result: 'success' });
  const insert = database.prepare(`
    insert into contacts (uuid, registrar_id, number, code, name, name_key, email, email_key, phone, ident, ident_key,
      ident_type, ident_country_code, city, country_code, auth_info, created_at, updated_at, identity_verification,
      name_verification, email_verification, phone_verification, address_verification)
    values (?1, 1, ?1, ?1, ?2, upper(?2), ?2, upper(?2), ?2, ?3, ?3, 'priv', 'LV', ?4, '', '', '', '', ?5, ?5, ?5, ?5, ?5)`);
  insert.run(1, 'mari', '100', 'Tartu', check);
  insert.run(2, '', '-', null, check);
  migrate();
  const results = ['identity', 'name', 'email', 'phone', 'address'].map(
    (claim) => `${claim}_verification ->> '$.result' as ${claim}`,
  );
  const rows = database
    .prepare(`select version > 1 as isNew, ${results.join()} from contacts order by number`)
    .all();
  const all = (result: string) => ({
    ...{ identity: result, name: result, email: result, phone: result, address: result },
  });
  expect(rows).toEqual([
    { isNew: 0, ...all('success') },
    { isNew: 1, ...all('ended') },
  ]);
});
