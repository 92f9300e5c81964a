import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nameKey, searchKey } from '../../../src/base/text/search-key.ts';
import { mailboxKey } from '../../../src/contact/mailbox.ts';
import { databaseBefore } from '../../support/old-database.ts';

/** Characters that a key changes. */
const changed = Array.from({ length: 0x11000 }, (_, code) => String.fromCodePoint(code)).filter(
  (character) =>
    character.isWellFormed() &&
    (nameKey(character) !== searchKey(character) ||
      mailboxKey(`${character}@`) !== `${character}@`),
);
const character = fc.oneof(
  fc.constantFrom(...'abzABZ09 .-_+\'"ßẞõÕšŠÜİıΣςσжЖ中😀'),
  fc.constantFrom(...changed),
);
const text = fc
  .array(character, { minLength: 1, maxLength: 12 })
  .map((characters) => characters.join('').normalize('NFC'));
const address = fc
  .tuple(text, fc.array(text, { minLength: 1, maxLength: 5 }))
  .map(([local, labels]) => `${local}@${labels.join('.')}`);

test('after a migration, stored names and addresses have the keys of new ones', () => {
  const { database, migrate } = databaseBefore('text_keys');
  const insert = database.prepare(`
    insert into contacts (uuid, registrar_id, number, code, name, name_key, email, email_key, phone, ident, ident_key,
      ident_type, ident_country_code, auth_info, created_at, updated_at)
    values (?1, 1, ?1, ?1, ?2, ?3, ?4, ?5, '', '', '', '', '', '', '', '')`);
  const names = ['Sean O’Brien', 'OÜ „Kuusk“', 'Anne\u2010Mai', 'a\u00a0b', ...changed];
  const addresses = [
    ...['y@xn--mda.ä.ö.ü.š.ee', 'ÕIE@Õunaaed.EE', 'a@straße.ee', 'a@ΟΔΟΣ-1.ee', 'õie', 'õ@a@b.õ'],
    ...[
      'a@münchen-ost.de',
      'a@他们为什么不说中文.cn',
      'a@3年b組金八先生.jp',
      'a@почемужеонинеговорятпорусски.ru',
    ],
  ];
  const rows = [
    ...names.map((name) => [name.normalize('NFC'), 'a@b.ee']),
    ...addresses.map((email) => ['Mari', email]),
    ...fc.sample(fc.tuple(text, address), 300),
  ] as [name: string, email: string][];
  for (const [n, [name, email]] of rows.entries()) {
    insert.run(n, name, searchKey(name), email, searchKey(email));
  }
  migrate();
  const migrated = database
    .prepare('select name_key, email_key from contacts order by number')
    .all();
  const differing = rows.filter(([name, email], n) => {
    const { name_key, email_key } = migrated[n]!;
    return name_key !== nameKey(name) || email_key !== mailboxKey(email);
  });
  expect(migrated).toHaveLength(rows.length);
  expect(differing).toEqual([]);
});
