import { expect, test } from 'vitest';
import { Cache } from '../../src/list/read/cache.ts';
import { Memory } from '../../src/list/read/memory.ts';

const mebibyte = 1024 * 1024;

test('holds 15 MiB of all kinds together, and forgets what was not asked for longest', () => {
  const cache = new Cache<{ body: string; block: string }>(15 * mebibyte);
  cache.keep('body', 'a', 'A', 6 * mebibyte);
  cache.keep('block', 'b', 'B', 6 * mebibyte);
  expect(cache.find('body', 'a')).toBe('A');
  cache.keep('block', 'c', 'C', 6 * mebibyte);
  expect([cache.find('body', 'a'), cache.find('block', 'b'), cache.find('block', 'c')]).toEqual([
    'A',
    undefined,
    'C',
  ]);
  expect(cache.bytes).toBe(12 * mebibyte);
});

test('replaces a value, and counts it once', () => {
  const cache = new Cache<{ body: string }>(15 * mebibyte);
  for (let count = 0; count < 10; count++) cache.keep('body', 'a', `A${count}`, 6 * mebibyte);
  expect([cache.find('body', 'a'), cache.bytes]).toEqual(['A9', 6 * mebibyte]);
});

test('does not keep what is larger than all of it, and forgets nothing for it', () => {
  const cache = new Cache<{ body: string }>(15 * mebibyte);
  cache.keep('body', 'a', 'A', mebibyte);
  cache.keep('body', 'b', 'B', 16 * mebibyte);
  expect([cache.find('body', 'a'), cache.find('body', 'b'), cache.bytes]).toEqual([
    'A',
    undefined,
    mebibyte,
  ]);
});

test('never holds more, whatever comes', () => {
  const cache = new Cache<{ body: number }>(15 * mebibyte);
  for (let number = 0; number < 2_000; number++) {
    cache.keep('body', `${(number * 7919) % 101}`, number, ((number * 104_729) % 20) * mebibyte);
    expect(cache.bytes).toBeLessThanOrEqual(15 * mebibyte);
  }
});

test('has a list for five seconds, and not once the clock was set back to before it was read', () => {
  const memory = new Memory();
  const seen = { etag: 'a', head: undefined };
  memory.keep('all', 10_000, seen);
  expect(memory.findFresh('all', 14_999)).toMatchObject(seen);
  for (const now of [15_000, 9_999]) expect(memory.findFresh('all', now)).toBeUndefined();
  memory.expire('all');
  expect(memory.findFresh('all', 10_000)).toBeUndefined();
  expect(memory.find('all')).toMatchObject(seen);
});
