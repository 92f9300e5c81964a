import { expect, test } from 'vitest';
import { networkOf, parseAddressList } from '../../src/base/address-list.ts';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['192.0.2.7', '::ffff:192.0.2.7'],
  ['192.0.2.7', '::ffff:c000:207'],
  ['192.0.2.0/25', '192.0.2.127'],
  ['192.0.2.77/25', '192.0.2.1'],
  ['0.0.0.0/0', '255.255.255.255'],
  ['::ffff:192.0.2.0/120', '192.0.2.255'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8::/32', '2001:db8:ffff::1'],
  ['2001:DB8::1', '2001:0db8:0:0:0:0:0:1'],
  ['::1', '0:0:0:0:0:0:0:1'],
  ['::/0', '2001:db8::1'],
])('%s includes %s', (entry, address) => {
  expect(parseAddressList([entry]).includes(address)).toBe(true);
});

test.each([
  ['192.0.2.7', '192.0.2.8'],
  ['192.0.2.0/25', '192.0.2.128'],
  ['0.0.0.0/0', '2001:db8::1'],
  ['::/0', '192.0.2.7'],
  ['::ffff:0:0/95', '192.0.2.7'],
  ['::/0', '::ffff:192.0.2.7'],
  ['2001:db8::/32', '2001:db9::'],
  ['::1', '127.0.0.1'],
  ['::/0', '2a06:98c0:3600::103'],
  ['2a06:98c0:3600::/48', '2a06:98c0:3600:0:0:0:0:103'],
  ['2a06:98c0:3600::103', '2a06:98c0:3600::103'],
  ['0.0.0.0/0', 'localhost'],
  ['0.0.0.0/0', ''],
  ['0.0.0.0/0', '127.1'],
  ['0.0.0.0/0', '3221225991'],
  ['0.0.0.0/0', '192.0.2.7, 127.0.0.1'],
  ['0.0.0.0/0', undefined],
])('%s does not include %s', (entry, address) => {
  expect(parseAddressList([entry]).includes(address)).toBe(false);
});

test('includes what any of several entries includes', () => {
  const list = parseAddressList(['192.0.2.7', '2001:db8::/32']);
  expect(list.includes('2001:db8::5')).toBe(true);
  expect(list.includes('192.0.2.7')).toBe(true);
  expect(list.includes('192.0.2.6')).toBe(false);
});

test('an empty list includes nobody', () => {
  expect(parseAddressList([]).includes('127.0.0.1')).toBe(false);
});

test.each([
  'localhost',
  '',
  '127.1',
  '0177.0.0.1',
  '192.0.2',
  '192.0.2.256',
  '192.0.2.0/33',
  '192.0.2.0/-1',
  '192.0.2.0/',
  '192.0.2.0/24/1',
  '2001:db8::/129',
  '2001:db8:::1',
  '*',
])('refuses the entry %j', (entry) => {
  expect(() => parseAddressList(['127.0.0.1', entry])).toThrow(
    new TypeError(`not an address or CIDR range: ${entry}`),
  );
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:0:1:2:3:4:5', '2001:db8:0:1::/64'],
  ['2001:DB8:0:1::', '2001:db8:0:1::/64'],
  ['::1', '::/64'],
  ['unknown', 'unknown'],
])('%s is of the network %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
