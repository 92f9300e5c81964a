import { expect, test } from 'vitest';
import { searchKey } from '../../../src/base/text/search-key.ts';

test('every character has the same key in upper and in lower case', () => {
  const differing = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code))
    .filter((character) => character.isWellFormed())
    .filter((character) => character.toLowerCase() !== character.toUpperCase())
    .filter((character) => {
      const forms = [character, character.toLowerCase(), character.toUpperCase()];
      return new Set(forms.map((form) => searchKey(form.normalize('NFC')))).size > 1;
    });
  expect(differing).toEqual([]);
});
