import { expect, test } from 'vitest';
import { mailboxKey } from '../../src/contact/mailbox.ts';
import { mailboxSpellings } from '../../src/contact/operator/spellings.ts';

test.each([
  ['info@õun.ee', 'info@xn--un-bka.ee'],
  ['info@ÕUN.EE', 'info@XN--UN-BKA.ee'],
  ['info@o\u0303un.ee', 'info@õun.ee'],
  ['info@Example.EE', 'Info@example.ee'],
  ['ÕIE@õun.ee', 'õie@õun.ee'],
  ['info@õun.xn--p1ai', 'info@xn--un-bka.рф'],
  ['info@ΟΔΟΣ-1.ee', 'info@xn---1-k9b7bby.ee'],
  ['y@xn--mda.ä.ö.ü.š.ee', 'y@xn--mda.xn--4ca.xn--nda.xn--tda.xn--pga.ee'],
])('treats %s and %s as one mailbox', (one, other) => {
  expect(mailboxKey(one)).toBe(mailboxKey(other));
});

test.each([
  ['info@õun.ee', 'info@oun.ee'],
  ['info@straße.ee', 'info@strasse.ee'],
  ['straße@example.ee', 'strasse@example.ee'],
  ['xn--un-bka@example.ee', 'õun@example.ee'],
  ['info@xn--0.ee', 'info@xn--1.ee'],
])('treats %s and %s as two mailboxes', (one, other) => {
  expect(mailboxKey(one)).not.toBe(mailboxKey(other));
});

test.each(['õie@õun.ee', 'ÕIE@ÕUN.EE', 'Õie@xn--un-bka.ee'])(
  'looks in the history for the international spellings of %s in either case',
  (asked) => {
    const spellings = mailboxSpellings(asked);
    for (const inHistory of ['õIE@õUN.EE', 'ÕIE@ÕUN.EE', 'õIE@XN--UN-BKA.EE']) {
      expect(spellings).toContain(inHistory);
    }
  },
);
