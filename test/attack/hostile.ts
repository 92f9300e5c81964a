import fc from 'fast-check';

/** Texts, JSON and header values that are made to break what takes them for harmless. */

/** Usually the value that is right, now and then a hostile one. */
export function mostly<Value>(right: fc.Arbitrary<Value>, wrong: fc.Arbitrary<Value>, weight = 6) {
  return fc.oneof({ weight, arbitrary: right }, { weight: 1, arbitrary: wrong });
}

const knownTexts = [
  '',
  ' ',
  `' OR 1=1 --`,
  `'); DROP TABLE contacts; --`,
  '%',
  '_____',
  '%_%\\%',
  '*[a-z]?',
  '\0',
  'a\0b',
  '\r\nSet-Cookie: injected=1',
  '\ud800',
  'x\udfff',
  '\u202Eabc',
  'e\u0301'.repeat(300),
  'ßﬁİıK',
  '👩‍👩‍👧‍👦',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '{{7*7}}<%= 7*7 %>',
  '1e999',
  'NaN',
  'null',
  '-1',
  '9'.repeat(400),
];

/** Any characters, and halves of some. `fc.string` of them takes seconds to be made. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength: 40 })
  .map((codePoints) => String.fromCodePoint(...codePoints));

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...knownTexts) },
  { weight: 3, arbitrary: anyText },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 5000 }).map((length) => 'x'.repeat(length)) },
);

const nested = (depth: number, open: string, close: string) =>
  `${open.repeat(depth)}0${close.repeat(depth)}`;

/** JSON as text, since much of it is lost or gone when it is a value. */
export const hostileJson: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 4,
    arbitrary: hostileText.map((text) => JSON.stringify(text)),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      'null',
      'true',
      '0',
      '-0',
      '[]',
      '{}',
      '[[]]',
      '[null]',
      '1e999',
      '-1e-999',
      '9007199254740993',
      '1'.repeat(400),
      '"\\ud800"',
      '"\\u0000"',
      '"\\udc00\\ud800"',
      '{"__proto__":{"isAdmin":true}}',
      '{"constructor":{"prototype":{"toJSON":1}}}',
      '{"toString":null,"valueOf":1}',
      '{"length":1e9}',
      '{"name":"a","name":{"b":1}}',
    ),
  },
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value)) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 9000 }).map((depth) => nested(depth, '[', ']')),
  },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 6000 }).map((depth) => nested(depth, '{"a":', '}')),
  },
);

/** Bodies that are no JSON, or not the JSON of an object. */
export const brokenBody: fc.Arbitrary<string> = fc.oneof(
  hostileJson,
  hostileText,
  fc.constantFrom('{', '{"contact":', '{"contact":{}}}', "{'contact':1}", '\ufeff{}', '{"a":1,}'),
  // Just below the limit, and above it.
  fc.constantFrom(65_000, 65_536, 65_537, 80_000).map((size) => `{"x":"${'y'.repeat(size - 8)}"}`),
);

/** Any text that a client can put into a header: no control characters but the tab. */
export const hostileHeader: fc.Arbitrary<string> = fc.oneof(
  hostileText.map((text) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '')),
  fc.constantFrom(
    '*',
    '""',
    '"',
    'W/',
    'W/""',
    '"a", W/"b", *',
    ',,,',
    `${'"x",'.repeat(800)}`,
    '%0d%0aSet-Cookie: injected=1',
    '\xe9\xff',
    '{}',
  ),
);

/** A form's body, as browsers and hand-written clients send one. */
export function formBody(value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const name = fc.constantFrom(
    'name',
    'email',
    'phone',
    'fax',
    'address[street]',
    'address[country_code]',
    'address',
    'address[]',
    'address[__proto__][x]',
    'address[street][deep][deeper]',
    'disclosed_attributes[]',
    'disclosed_attributes[99]',
    'disclosed_attributes',
    'name[]',
    '__proto__[isAdmin]',
    'constructor[prototype][x]',
    'toString',
    '[',
    ']',
    '',
  );
  const pair = fc.tuple(name, value, fc.boolean()).map(([field, text, isEncoded]) => {
    const given = isEncoded ? encodeURIComponent(text.toWellFormed()) : text;
    return `${field}=${given}`;
  });
  const known = fc.constantFrom(
    `${'a[]=1&'.repeat(300)}`,
    '%E0%A4%A=%',
    '&&&===',
    `a${'[b]'.repeat(500)}=1`,
  );
  return fc.oneof(
    { weight: 6, arbitrary: fc.array(pair, { maxLength: 6 }).map((pairs) => pairs.join('&')) },
    { weight: 1, arbitrary: known },
  );
}
