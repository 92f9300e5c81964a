import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseSince, parseUntil } from '../../src/tool/time.ts';

const { TZ } = process.env;
beforeAll(() => {
  process.env.TZ = 'Europe/Tallinn';
});
afterAll(() => {
  if (TZ === undefined) delete process.env.TZ;
  else process.env.TZ = TZ;
});

test('local time is not UTC in these tests', () => {
  expect(new Date('2026-01-31T12:00:00').toISOString()).toBe('2026-01-31T10:00:00.000Z');
});

test.each([
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['2026-01-31T12:00Z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00:00', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00:00.5+02:00', '2026-01-31T10:00:00.500Z'],
])('understands %s, in UTC where it has no offset', (text, instant) => {
  expect(parseSince(text).toISOString()).toBe(instant);
});

test.each([
  'yesterday',
  '2026-02-30',
  '2026-02-30T12:00:00Z',
  '2026-01-31 12:00:00',
  '2026-01-31T12:00:00 EET',
  '2026-01-31T12:00:00+2',
  '',
])('refuses "%s"', (text) => {
  expect(() => parseSince(text)).toThrow('Without an offset it is UTC');
});

test('includes the day that a period ends on', () => {
  expect(parseUntil('2026-01-31').toISOString()).toBe('2026-02-01T00:00:00.000Z');
  expect(parseUntil('2026-01-31T12:00:00').toISOString()).toBe('2026-01-31T12:00:00.000Z');
});

test('no instant comes after the end of the last day of the calendar', () => {
  expect(parseUntil('9999-12-31').toISOString()).toBe('9999-12-31T23:59:59.999Z');
});
