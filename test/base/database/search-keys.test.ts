import { expect, test } from 'vitest';
import { nameKey } from '../../../src/base/text/search-key.ts';
import { mailboxKey } from '../../../src/contact/mailbox.ts';
import { databaseBefore } from '../../support/old-database.ts';

test('stored contacts are found by the keys that searches ask for now', () => {
  const { database, migrate } = databaseBefore('search_keys');
  const insert = database.prepare(`
    insert into contacts (uuid, registrar_id, number, code, name, name_key, email, email_key, phone, ident, ident_key,
      ident_type, ident_country_code, auth_info, created_at, updated_at)
    values (?1, 1, ?1, ?1, ?2, ?3, ?2, ?3, '', '', '', '', '', '', '', '')`);
  const texts = ['Mari', 'Groß', 'GROẞ', 'ẞẞ ϴεός', 'õ'];
  for (const [index, text] of texts.entries()) {
    insert.run(index, text, text.toUpperCase().normalize('NFC'));
  }
  migrate();
  const rows = database.prepare('select name_key, email_key from contacts order by number').all();
  expect(rows.map(({ name_key, email_key }) => [name_key, email_key])).toEqual(
    texts.map((text) => [nameKey(text), mailboxKey(text)]),
  );
});
