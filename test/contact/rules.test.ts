import { expect, test } from 'vitest';
import { expectedSentence } from '../../src/base/text/field.ts';
import { contactRules } from '../../src/contact/rules.ts';

const accepts = (field: keyof typeof contactRules, value: unknown) =>
  contactRules[field]().safeParse(value).success;

test.each([
  ['name', 255],
  ['orgName', 255],
  ['street', 255],
  ['city', 255],
  ['state', 255],
  ['authInfo', 255],
  ['zip', 16],
  ['ident', 64],
] as const)('takes a %s of %i characters, whatever they are, and not one more', (field, limit) => {
  for (const character of ['x', 'õ', '😀']) {
    expect(accepts(field, character.repeat(limit))).toBe(true);
    expect(accepts(field, character.repeat(limit + 1))).toBe(false);
  }
});

test('takes a name of 255 characters in the form that takes the most code units', () => {
  const rule = contactRules.name();
  const longest = 'ᾂ'.normalize('NFD');
  expect(rule.parse(longest.repeat(255))).toBe('ᾂ'.repeat(255));
  expect(rule.safeParse(longest.repeat(256)).success).toBe(false);
});

test.each(['+1.2', '+372.5123456', '+999.12345678901234', '+001.1', '+372.05'])(
  'takes the phone number %s',
  (phone) => {
    expect(accepts('phone', phone)).toBe(true);
    expect(accepts('fax', phone)).toBe(true);
  },
);

test.each([
  'mari.maasikas+registry@example.ee',
  'mari@mail.example.ee',
  "o'neill@example.ie",
  'mari@õun.ee',
  'mari@пример.рф',
  'mari@xn--un-fka.ee',
  'o/b@example.ee',
  'mary&john@example.ee',
  "!#$%&'*+-/=?^_`{|}~@example.ee",
  "mari'@example.ee",
  'õie@example.ee',
  'пётр.иванов@пример.рф',
  '用户@例子.中国',
  `mari@${'x'.repeat(63)}.ee`,
  `${'a'.repeat(64)}@example.ee`,
  `${'õ'.repeat(32)}@example.ee`,
])('accepts the address %s', (email) => {
  expect(accepts('email', email)).toBe(true);
});

test.each([
  'a@foo.-ee',
  'a@õun-.ee',
  'a@foo.12',
  'a@fo\u200bo.ee',
  `a@${'x'.repeat(64)}.ee`,
  `a@${'õ'.repeat(60)}.ee`,
  'a,b@foo.ee',
  'a(b)@foo.ee',
  'a\u200bb@foo.ee',
  'a\u3164b@foo.ee',
  'a@foo\ufe0f.ee',
  '"a b"@foo.ee',
  'a@ﬁrma.ee',
  'a@firma².ee',
  'a@aא.ee',
  'a@xn--rma-bo3s.ee',
])('refuses the address %j', (email) => {
  expect(accepts('email', email)).toBe(false);
});

test('the refusal of an address asks for the one whose domain a browser opens', () => {
  const detailOf = (email: string) => {
    const [issue] = contactRules.email().safeParse(email).error!.issues;
    return (issue as { params?: { detail?: string } }).params?.detail;
  };
  expect(detailOf('a@ﬁrma.ee')).toMatch(/^Expected: .*\. Did you mean "a@firma.ee"\?$/);
  expect(detailOf('a b@ﬁrma.ee')).toMatch(/^Expected: [^?]*\. It has a blank before the @\.$/);
});

test.each(['\u200b', '\u200d\u2060', '\u00ad', '\u3164', '\u2800 \u2800', '\u202e', '\u{e0041}'])(
  'refuses a name of nothing but the invisible %j',
  (name) => {
    expect(accepts('name', name)).toBe(false);
  },
);

test.each(['می‌خواهم', '👩‍💻', '\u200bMari'])(
  'takes the name %j, in which something is visible',
  (name) => {
    expect(accepts('name', name)).toBe(true);
  },
);

test.each([
  ['ee', 'EE'],
  ['Ee', 'EE'],
])('accepts the country code %s as %s', (given, kept) => {
  expect(contactRules.countryCode().parse(given)).toBe(kept);
});

// Unicode's upper case of these is SS, IT and SE.
test.each(['ß', 'ıt', 'ſe', 'XX', 'EST'])('refuses the country code %s', (code) => {
  expect(accepts('countryCode', code)).toBe(false);
});

test.each(['\u0000', '\u0007', 'a\u001fb', 'a\u007fb', 'a\u009fb', 'a\nb', '\ud800', 'a\udc00b'])(
  'refuses a name with the control character or lone surrogate in %j',
  (name) => {
    expect(accepts('name', name)).toBe(false);
  },
);

const refusalOf = (field: keyof typeof contactRules, value: string) => {
  const [issue] = contactRules[field]().safeParse(value).error!.issues;
  return [issue!.message, expectedSentence(contactRules[field](), issue)];
};

test.each([
  ['street', 'Pikk 1\nTallinn', 'Street is invalid: contains a line break'],
  [
    'street',
    'Pikk 1\u2028Tallinn\u0007',
    'Street is invalid: contains an invisible character (U+0007)',
  ],
  ['name', 'Mari\u0007', 'Name is invalid: contains an invisible character (U+0007)'],
  ['name', '\u200b', 'Name is invalid: contains an invisible character (U+200B)'],
  ['name', 'a\ud800', 'Name is invalid: contains an invisible character (U+D800)'],
  ['phone', '\u202a+372.5123456', 'Phone nr is invalid: contains an invisible character (U+202A)'],
  [
    'phone',
    '\u202a+372.12345678901234',
    'Phone nr is invalid: contains an invisible character (U+202A)',
  ],
  ['phone', '+372.512\u00a03456', 'Phone nr is invalid: contains an invisible character (U+00A0)'],
  ['email', 'ma\u00adri@example.ee', 'Email is invalid: contains an invisible character (U+00AD)'],
  ['ident', '2.01804E+11', 'Ident code is invalid: was spoiled by a spreadsheet'],
] as const)(
  'names what is wrong with a %s of %j, where nobody sees it',
  (field, value, message) => {
    expect(refusalOf(field, value)).toEqual([message, undefined]);
  },
);

test.each([
  ['zip', 'x'.repeat(17), 16],
  ['name', '👩\u200d🔬'.repeat(86), 255],
  ['name', 'x\ny'.repeat(300), 255],
  ['phone', '+372.123456789012345', 19],
  ['email', `a@b..${'x'.repeat(255)}`, 255],
  ['ident', '2.01804E+11'.repeat(9), 64],
] as const)(
  'calls the length of a %s wrong, whatever else the value has: %s',
  (field, value, limit) => {
    const [message] = refusalOf(field, value);
    expect(message).toMatch(new RegExp(`: has more than ${limit} characters$`));
  },
);

test.each(['\u202a', '\u202d', '\u202e', '\u2066', '\u2069'])(
  'refuses text with %j, which turns the order of other characters round',
  (character) => {
    const number = `U+${character.codePointAt(0)!.toString(16).toUpperCase()}`;
    for (const field of ['name', 'street', 'authInfo'] as const) {
      const label = { name: 'Name', street: 'Street', authInfo: 'Auth info' }[field];
      const message = `${label} is invalid: contains an invisible character (${number})`;
      expect(refusalOf(field, `Mari${character}Tamm`)).toEqual([message, undefined]);
    }
  },
);

test.each([
  ['mari', 'has no @'],
  ['@foo.ee', 'has nothing before the @'],
  ['a@', 'has no domain after the @'],
  ['a@b@foo.ee', 'has more than one @'],
  ['a..b@x.de', 'has a dot too many before the @'],
  ['.a@x.de', 'has a dot too many before the @'],
  ['a.@x.de', 'has a dot too many before the @'],
  ['a b@foo.ee', 'has a blank before the @'],
  ['"a"@foo.ee', 'has " before the @, which is not allowed'],
  [`${'a'.repeat(65)}@x.de`, 'has more than 64 bytes before the @'],
  [`${'õ'.repeat(32)}a@x.de`, 'has more than 64 bytes before the @'],
  ['user@exa_mple.de', 'has a domain that contains an underscore, which is not allowed'],
  ['x@[1.2.3.4]', 'has an IP address in place of a domain name'],
  ['x@1.2.3.4', 'has an IP address in place of a domain name'],
  ['x@[IPv6:2001:db8::1]', 'has an IP address in place of a domain name'],
  ['x@foo', 'has a domain that has no dot: a name is registered below a top-level domain'],
  ['x@foo..ee', 'has a domain that has two dots in a row, or starts with a dot'],
  ['x@foo.ee.', 'has a domain that ends with a dot; leave it out'],
  ['x@-foo.ee', 'has a domain that has a part that starts or ends with a hyphen'],
  ['x@foo.e', 'has a top-level domain with a digit, a hyphen or one letter'],
  ['x@foo.e1', 'has a top-level domain with a digit, a hyphen or one letter'],
])('refuses the address %s for the reason that applies: it %s', (email, cause) => {
  expect(refusalOf('email', email)).toEqual([`Email is invalid: ${cause}`, undefined]);
});

test.each([
  ['phone', '+372 5123456'],
  ['phone', '+3721.5123456'],
] as const)('says what is expected where a %s shows what is wrong: %s', (field, value) => {
  expect(refusalOf(field, value)[1]).toMatch(/^Expected: /);
});

test.each([
  '2.01804E+11',
  '2,01804E+11',
  '2E+11',
  '########',
  '#NAME?',
  '#¿NOMBRE?',
  '#REF!',
  '#N/A',
  '#NV',
  'Err:502',
])('refuses the identity code %s, and takes one that only looks like it', (code) => {
  expect(accepts('ident', code)).toBe(false);
  expect(accepts('ident', `A${code}`)).toBe(true);
  expect(accepts('ident', code.replace('E+', 'E'))).toBe(code.includes('E+'));
});
