import { readDomainName } from '../../../src/base/text/domain-name.ts';

/** Each character of Unicode at the start, in the middle and at the end of a label, and the name that is read, if any. */
export function* everyName() {
  for (let codePoint = 0; codePoint < 0x110000; codePoint++) {
    const character = String.fromCodePoint(codePoint);
    if (character === '.') continue;
    const isLetter = /[\p{L}\p{M}\p{N}-]/u.test(character);
    // The place makes no difference to what fills the larger part of Unicode.
    const isOfMany = /[\p{Script=Han}\p{Script=Hangul}]/u.test(character);
    const places = isLetter && !isOfMany ? ['.', 'a.', '.a', 'a.a'] : ['a.a'];
    for (const place of places) {
      const text = `${place.replace('.', character)}.ee`;
      const { domain, fault } = readDomainName(text);
      yield { character, text, domain, fault };
    }
  }
}

/** What is read of every name, in one number. */
export function everyNameDigest(): number {
  let digest = 0;
  for (const { domain, fault } of everyName()) {
    for (const unit of domain?.punycode ?? fault ?? '') {
      digest = (Math.imul(digest, 31) + unit.charCodeAt(0)) | 0;
    }
  }
  return digest;
}
