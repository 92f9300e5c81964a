import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nfc, unitsPerCharacter } from '../../../src/base/text/nfc.ts';

test('no character of normal form C stands for more code units than the bound on its length allows', () => {
  const longest = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code))
    .filter((character) => character.isWellFormed())
    .reduce((most, character) => Math.max(most, [...character.normalize('NFD')].length), 0);
  expect(2 * longest).toBe(unitsPerCharacter);
});

const unit = fc.constantFrom('a', 'o\u0303', 'ᾂ'.normalize('NFD'), '\u0315\u0300', '\u{110ab}');
const text = fc.array(unit, { maxLength: 40 }).map((units) => units.join(''));

test('a text is refused before it is normalised only if its normal form has more characters than the limit', () => {
  fc.assert(
    fc.property(text, fc.nat(20), (given, limit) => {
      const form = given.normalize('NFC');
      const found = nfc(given, limit);
      expect(found ?? form).toBe(form);
      if (found === undefined) expect([...form].length).toBeGreaterThan(limit);
    }),
  );
});
