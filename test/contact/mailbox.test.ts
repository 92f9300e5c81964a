import fc from 'fast-check';
import { expect, test } from 'vitest';
import { searchKey } from '../../src/base/text/search-key.ts';
import { emailKeys, isSameMailbox } from '../../src/contact/mailbox.ts';

test.each([
  ['info@õun.ee', 'info@xn--un-bka.ee'],
  ['info@ÕUN.EE', 'info@XN--UN-BKA.ee'],
  ['info@o\u0303un.ee', 'info@õun.ee'],
  ['info@Example.EE', 'info@example.ee'],
  ['info@õun.xn--p1ai', 'info@xn--un-bka.рф'],
  ['info@ΟΔΟΣ-1.ee', 'info@xn---1-k9b7bby.ee'],
])('treats %s and %s as one mailbox, in a search too', (one, other) => {
  expect(isSameMailbox(one, other)).toBe(true);
  expect(emailKeys(one).toSorted()).toEqual(emailKeys(other).toSorted());
});

test.each([
  ['Info@õun.ee', 'info@õun.ee'],
  ['info@õun.ee', 'info@oun.ee'],
  ['xn--un-bka@example.ee', 'õun@example.ee'],
  ['info@xn--0.ee', 'info@xn--1.ee'],
])('treats %s and %s as two mailboxes', (one, other) => {
  expect(isSameMailbox(one, other)).toBe(false);
});

test('searches for an address as it is stored, whatever is in it, and for no more than sixteen', () => {
  const label = fc.oneof(
    fc.stringMatching(/^[a-z0-9]{1,4}$/),
    fc.constantFrom('õun', 'xn--un-bka', 'рф', 'xn--'),
  );
  const email = fc.oneof(
    fc.array(label, { minLength: 1, maxLength: 12 }).map((labels) => `õie@${labels.join('.')}`),
    fc.string({ unit: 'grapheme', maxLength: 60 }),
  );
  fc.assert(
    fc.property(email, (stored) => {
      const keys = emailKeys(stored);
      expect(keys.length).toBeLessThanOrEqual(16);
      const isMixed = (stored.match(/xn--|õ|р/g)?.length ?? 0) > 4;
      if (!isMixed) expect(keys).toContain(searchKey(stored));
    }),
  );
});
