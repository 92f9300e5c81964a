import { expect, test } from 'vitest';
import { readDomainName } from '../../src/base/text/domain-name.ts';
import { parseDomainName } from '../../src/name/domain/operator/name.ts';
import { domainNameOf } from '../../src/name/name.ts';

test.each([
  ['example.ee', 'example.ee'],
  ['a.ee', 'a.ee'],
  ['1-2.pri.ee', '1-2.pri.ee'],
  ['pürasid.ee', 'xn--prasid-3ya.ee'],
  ['õ.ee', 'xn--mda.ee'],
  ['šokolaad.žürii.ee', 'xn--okolaad-pqb.xn--rii-goa36d.ee'],
  ['пример.рф', 'xn--e1afmkfd.xn--p1ai'],
  [`${'x'.repeat(63)}.ee`, `${'x'.repeat(63)}.ee`],
])('reads %s in both forms', (name, punycode) => {
  expect(parseDomainName(name)).toEqual({ name, punycode });
});

test('takes 253 octets in all, and not one more', () => {
  const label = 'x'.repeat(61);
  const name = (last: number) => `${`${label}.`.repeat(4)}${'y'.repeat(last)}`;
  expect(parseDomainName(name(5)).name).toHaveLength(253);
  expect(() => parseDomainName(name(6))).toThrow('has more than 253 characters in punycode');
});

test('reads a name as long as one may be in the form that takes the most code units', () => {
  const labels = (label: string) => `${`${label}.`.repeat(3)}ee`;
  const [longest, tooLong] = ['ṩ'.repeat(57), 'ṩ'.repeat(58)];
  expect(readDomainName(labels(longest.normalize('NFD')))).toMatchObject({
    domain: { name: labels(longest) },
  });
  expect(readDomainName(labels(tooLong.normalize('NFD')))).toEqual({ fault: 'longLabel' });
});

test.each([
  ['', 'has no dot: a name is registered below a top-level domain'],
  ['Example.ee', 'contains capital letters; write "example.ee"'],
  ['ÕUN.ee', 'contains capital letters; write "õun.ee"'],
  ['o\u0303un.ee', 'is not in Unicode normalisation form C'],
  ['example.ee.', 'ends with a dot; leave it out'],
  ['xn--prasid-3ya.ee', 'is in punycode; write its Unicode form, "pürasid.ee"'],
  ['xn--9999999999.ee', 'contains malformed punycode'],
  ['my_name.ee', 'contains an underscore, which is not allowed'],
  ['example', 'has no dot: a name is registered below a top-level domain'],
  ['example..ee', 'has two dots in a row, or starts with a dot'],
  ['.ee', 'has two dots in a row, or starts with a dot'],
  ['-a.ee', 'has a part that starts or ends with a hyphen'],
  ['a-.ee', 'has a part that starts or ends with a hyphen'],
  ['ab--cd.ee', 'has a part with hyphens as its third and fourth characters'],
  ['𒾐a--a.ee', 'has a part with hyphens as its third and fourth characters'],
  ['a b.ee', 'contains white space or a control character'],
  ['a\u0000.ee', 'contains an invisible character (U+0000)'],
  ['a\ud800.ee', 'contains an invisible character (U+D800)'],
  ['a\nb.ee', 'contains a line break'],
  ['a@b.ee', 'contains a character that is not allowed'],
  ['a/b.ee', 'contains a character that is not allowed'],
  ["a'b.ee", 'contains a character that is not allowed'],
  ['a\u200bb.ee', 'contains an invisible character (U+200B)'],
  ['\u3164.ee', 'contains an invisible character (U+3164)'],
  ['a\ufe0f.ee', 'contains an invisible character (U+FE0F)'],
  ['b.ee\n', 'contains white space or a control character'],
  ['a\u3002ee', 'contains a character that is not allowed'],
  ['a\u3002b.ee', 'contains a character that is not allowed'],
  ['😀.ee', 'contains a character that is not allowed'],
  ['\u0301a.ee', 'has a part that starts with a combining mark'],
  ['127.0.0.1', 'ends in a number'],
  ['firma.0x1f', 'ends in a number'],
  ['①.ee', 'contains a character that is not allowed'],
  ['l·l.ee', 'contains a character that is not allowed'],
  ['aא.ee', 'mixes right-to-left scripts with others (RFC 5893)'],
  ['123.אב', 'mixes right-to-left scripts with others (RFC 5893)'],
  ['ا.1x', 'mixes right-to-left scripts with others (RFC 5893)'],
  ['xn--が-.ee', 'contains malformed punycode'],
  ['xn--xn--qh33b.ee', 'contains malformed punycode'],
  ['xn--z9e.com', 'contains malformed punycode'],
  ['xn----5da7e.de', 'contains malformed punycode'],
  ['надвор’е.бел', 'contains a character that is not allowed'],
  ['xn--rma-bo3s.ee', 'contains a character that is not allowed'],
  [`${'x'.repeat(64)}.ee`, 'has a part of more than 63 characters in punycode'],
  [`${'õ'.repeat(60)}.ee`, 'has a part of more than 63 characters in punycode'],
])('refuses %j, and says why', (name, reason) => {
  expect(() => parseDomainName(name)).toThrow(
    expect.objectContaining({
      name: 'RegistryError',
      reason: 'invalid',
      message: expect.stringContaining(reason),
    }),
  );
});

test.each([
  ['ﬁrma.ee', 'firma.ee'],
  ['ｆｉｒｍａ.ee', 'firma.ee'],
  ['firma².ee', 'firma2.ee'],
  ['①.ee', '1.ee'],
  ['firma。ee', 'firma.ee'],
  ['ÕU\u00adN.ee', 'õun.ee'],
  ['https://firma.ee/hind', 'firma.ee'],
  ['firma.ee:443', 'firma.ee'],
  ['info@õun.ee', 'õun.ee'],
])('the refusal of %j asks for %s', (text, meant) => {
  expect(() => domainNameOf(text)).toThrow(`Did you mean "${meant}"?`);
});

test.each(['firma', 'a b.ee', '-a.ee', '☃.ee', 'ꭰ.ee', `${'ﬁ'.repeat(3_000)}.ee`])(
  'the refusal of a text that opens no name asks for none: %j',
  (text) => {
    expect(() => domainNameOf(text)).not.toThrow('Did you mean');
  },
);

test('a name in capital letters is the one that a browser opens', () => {
  expect(domainNameOf('ΟΔΟΣ-1.EE').name).toBe('οδοσ-1.ee');
  expect(domainNameOf('οδος-1.ee').name).toBe('οδος-1.ee');
});

test.each(['õ.ee', 'Õ.EE', 'o\u0303.ee', 'xn--mda.ee', 'XN--MDA.EE'])(
  'reads %s as the name that it spells',
  (text) => {
    expect(readDomainName(text)).toEqual({ domain: { name: 'õ.ee', punycode: 'xn--mda.ee' } });
  },
);

test('a name from outside is trimmed, as every text is', () => {
  expect(domainNameOf(' Kohv.EE\n')).toEqual({ name: 'kohv.ee', punycode: 'kohv.ee' });
  expect(() => domainNameOf(' ko hv.ee')).toThrow('contains white space');
});

test.each([
  ['stands for a control character', 'xn--a.ee'],
  ['stands for nothing', 'xn--.ee'],
  ['cannot be decoded', 'xn--0.ee'],
  ['stands for ASCII', 'xn--abc-.ee'],
  ['stands for capital letters', 'xn--pca.ee'],
  ['stands for punycode', 'xn--xn---3qa.ee'],
  ['is not in normalisation form C', 'xn--o-1bb.ee'],
])('refuses punycode that %s: %s', (_, text) => {
  expect(readDomainName(text)).toEqual({ fault: 'malformedPunycode' });
});
