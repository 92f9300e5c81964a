import { expect, test } from 'vitest';
import { Budget, Shelf } from '../../src/public-list/read/memory.ts';

const mebibyte = 1024 * 1024;

test('holds 15 MiB on all shelves together, and forgets what was not asked for longest', () => {
  const budget = new Budget();
  const [bodies, blocks] = [new Shelf<string>(budget), new Shelf<string>(budget)];
  bodies.keep('a', 'A', 6 * mebibyte);
  blocks.keep('b', 'B', 6 * mebibyte);
  expect(bodies.find('a')).toBe('A');
  blocks.keep('c', 'C', 6 * mebibyte);
  expect([bodies.find('a'), blocks.find('b'), blocks.find('c')]).toEqual(['A', undefined, 'C']);
  expect(budget.bytes).toBe(12 * mebibyte);
});

test('replaces a value, and counts it once', () => {
  const budget = new Budget();
  const shelf = new Shelf<string>(budget);
  for (let count = 0; count < 10; count++) shelf.keep('a', `A${count}`, 6 * mebibyte);
  expect([shelf.find('a'), budget.bytes]).toEqual(['A9', 6 * mebibyte]);
});

test('does not keep what is larger than all of it, and forgets nothing for it', () => {
  const budget = new Budget();
  const shelf = new Shelf<string>(budget);
  shelf.keep('a', 'A', mebibyte);
  shelf.keep('b', 'B', 16 * mebibyte);
  expect([shelf.find('a'), shelf.find('b'), budget.bytes]).toEqual(['A', undefined, mebibyte]);
});

test('never holds more, whatever comes', () => {
  const budget = new Budget();
  const shelf = new Shelf<number>(budget);
  for (let number = 0; number < 2_000; number++) {
    shelf.keep(`${(number * 7919) % 101}`, number, ((number * 104_729) % 20) * mebibyte);
    expect(budget.bytes).toBeLessThanOrEqual(15 * mebibyte);
  }
});
