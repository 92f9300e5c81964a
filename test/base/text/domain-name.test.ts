import { createRequire } from 'node:module';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { type DomainName, readDomainName } from '../../../src/base/text/domain-name.ts';
import { everyName } from './every-name.ts';

const require = createRequire(import.meta.url);

/** By code point or range: the status in UTS 46's table, of which 1 is "mapped". */
type Mapping = [codePoints: number | [first: number, last: number], status: number];

const mapped = new Set<number>();
for (const [codePoints, status] of require('tr46/lib/mappingTable.json') as Mapping[]) {
  const [first, last] = [codePoints].flat() as [number, number?];
  for (let each = first; status === 1 && each <= (last ?? first); each++) mapped.add(each);
}

const { toASCII } = require('tr46') as {
  toASCII(name: string, options: Record<string, boolean>): string | null;
};

/** UTS 46 by another program, with the rules of IDNA 2008 for labels, such as RFC 5893. */
const punycodeOf = (name: string) =>
  toASCII(name, {
    checkBidi: true,
    checkHyphens: true,
    checkJoiners: true,
    useSTD3ASCIIRules: true,
    verifyDNSLength: true,
  });

/** 2.6, less its letters that are no letters in Unicode, and appendix A, which depends on the characters around it. */
const exceptions =
  /[\u00b7\u0375\u05f3\u05f4\u30fb\u0640\u0660-\u0669\u06f0-\u06f9\u07fa\u302e\u302f\u3031-\u3035\u303b]/u;
/** 2.3 and 2.8 */
const ignorable =
  /\p{Default_Ignorable_Code_Point}|\p{White_Space}|\p{Noncharacter_Code_Point}|\p{Cn}/u;
/** 2.4 and 2.9 */
const blocks =
  /[\u20d0-\u20ff\u{1d100}-\u{1d1ff}\u{1d200}-\u{1d24f}\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/u;

/** Whether RFC 5892, section 3, derives PVALID for the character. */
function isProtocolValid(character: string): boolean {
  if (/[a-z\d-]|[ßς]/.test(character)) return true;
  if ([exceptions, ignorable, blocks].some((pattern) => pattern.test(character))) return false;
  // 2.2, Unstable: NFKC and case folding would change it.
  if (mapped.has(character.codePointAt(0)!)) return false;
  // 2.1, LetterDigits
  return /[\p{Ll}\p{Lu}\p{Lo}\p{Nd}\p{Lm}\p{Mn}\p{Mc}]/u.test(character);
}

/** What the platform's URL parser makes of the text. */
const hostOf = (text: string) => URL.parse(`http://${text}`)?.hostname;

function isSound({ name, punycode }: DomainName): boolean {
  return hostOf(name) === punycode && Array.from(name.replaceAll('.', '')).every(isProtocolValid);
}

test('no name has a character that IDNA 2008 disallows, and the platform opens every name as it is', () => {
  const wrong: string[] = [];
  const taken = new Set<string>();
  for (const { character, text, domain } of everyName()) {
    if (!domain) continue;
    taken.add(character);
    if (!isSound(domain) || hostOf(text) !== domain.punycode) wrong.push(text);
  }
  expect(wrong).toEqual([]);
  expect(taken.size).toBeGreaterThan(140_000);
});

test('every name with a letter that is written from the right obeys the bidi rule', () => {
  const wrong: string[] = [];
  let taken = 0;
  // All that are written from the right are below U+20000, and from U+3000 to U+A000 there are only ideographs.
  for (let codePoint = 0; codePoint < 0x20000; codePoint++) {
    if (codePoint === 0x3000) codePoint = 0xa000;
    const character = String.fromCodePoint(codePoint);
    if (!/[\p{L}\p{M}\p{N}-]/u.test(character) || /\p{Script=Hangul}/u.test(character)) continue;
    for (const place of ['.', 'a.', 'a-.', 'א.', 'א-.', 'א.א', 'ب.1']) {
      const { domain } = readDomainName(`${place.replace('.', character)}.אב`);
      if (!domain) continue;
      taken++;
      if (punycodeOf(domain.name) !== domain.punycode) wrong.push(domain.name);
    }
  }
  expect(wrong).toEqual([]);
  expect(taken).toBeGreaterThan(30_000);
});

test('whatever is taken for a name, of any characters in any order, is one for other programs', () => {
  const character = fc.oneof(
    fc.constantFrom(...'aõšß1-.ΣςıIİ\u0307\u0301אبあ漢가अ्คา\u0640٠'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  );
  const text = fc
    .array(character, { minLength: 1, maxLength: 9 })
    .map((all) => `${all.join('')}.ee`);
  fc.assert(
    fc.property(text, (given) => {
      const { domain } = readDomainName(given);
      if (!domain) return;
      expect(isSound(domain)).toBe(true);
      expect(readDomainName(domain.punycode).domain).toEqual(domain);
      expect(punycodeOf(domain.name)).toBe(domain.punycode);
    }),
    { numRuns: inject('isDeep') ? 10_000 : 2_000 },
  );
});
