import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nameKey, searchKey, storedNameKeys } from '../../../src/base/text/search-key.ts';
import { mailboxKey } from '../../../src/contact/mailbox.ts';
import { databaseBefore } from '../../support/old-database.ts';

const characters = Array.from({ length: 0x11000 }, (_, code) => String.fromCodePoint(code)).filter(
  (character) => character.isWellFormed(),
);
const inNames = characters.filter((character) => nameKey(`õ${character}õ`) !== `O${character}O`);
const inAddresses = characters.filter((character) => {
  const form = character.normalize('NFKC');
  return form === character && mailboxKey(`${character}@`) !== `${character}@`;
});

const textOf = (changed: readonly string[]) => {
  const character = fc.oneof(
    fc.constantFrom(...'abzABZ09 .-_+\'"ßẞõÕšŠÜİıΣςσжЖ中😀'),
    fc.constantFrom(...changed),
  );
  return fc
    .array(character, { minLength: 1, maxLength: 12 })
    .map((all) => all.join('').normalize('NFC'));
};
const text = textOf(inAddresses);
const nameText = textOf(inNames).map((name) => name.replace(/\s+/g, ' ').trim() || 'õ');
const address = fc
  .tuple(text, fc.array(text, { minLength: 1, maxLength: 5 }))
  .map(([local, labels]) => `${local}@${labels.join('.')}`);

/** Migrations fold letter by letter. The rest is left to `contact rekey`. */
const isLeft = (name: string) =>
  /[\u{1100}-\u{11ff}\u3130-\u318f\u3200-\u321f\uff9e-\uffdc\u{10000}-\u{10ffff}]/u.test(name);

test('after a migration, stored names and addresses have the keys of new ones', () => {
  const { database, migrate } = databaseBefore('text_keys');
  const insert = database.prepare(`
    insert into contacts (uuid, registrar_id, number, code, name, name_key, email, email_key, phone, ident, ident_key,
      ident_type, ident_country_code, auth_info, created_at, updated_at)
    values (?1, 1, ?1, ?1, ?2, ?3, ?4, ?5, '', '', '', '', '', '', '', '')`);
  const names = [
    'Sean O’Brien',
    'OÜ „Kuusk“',
    'Anne\u2010Mai',
    'a\u00a0b',
    ...inNames.map((character) => `õ${character}õ`),
  ];
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
    ...fc.sample(fc.tuple(nameText, address), 300),
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
    const isFound = storedNameKeys(name).includes(name_key as string);
    const isNew = isLeft(name) || name_key === nameKey(name);
    return !isFound || !isNew || email_key !== mailboxKey(email);
  });
  expect(migrated).toHaveLength(rows.length);
  expect(differing).toEqual([]);
});
