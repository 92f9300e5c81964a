import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseSince, parseUntil } from '../../src/tool/time.ts';
import { showTimesIn, timeText } from '../../src/view/words.ts';

const { TZ } = process.env;
beforeAll(() => {
  process.env.TZ = 'Europe/Tallinn';
  // Another file of this process may have shown times in a zone.
  showTimesIn({});
});
afterAll(() => {
  if (TZ === undefined) delete process.env.TZ;
  else process.env.TZ = TZ;
});

test.each([
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['2026-01-31T12:00', '2026-01-31T12:00:00.000Z'],
])('understands %s in UTC, whatever the zone of the machine is', (text, instant) => {
  expect(parseSince(text).toISOString()).toBe(instant);
});

test('says what a time looks like where it is none', () => {
  expect(() => parseSince('yesterday')).toThrow('Without an offset it is UTC');
});

test('includes the day that a period ends on', () => {
  expect(parseUntil('2026-01-31').toISOString()).toBe('2026-02-01T00:00:00.000Z');
  expect(parseUntil('2026-01-31T12:00:00').toISOString()).toBe('2026-01-31T12:00:00.000Z');
});

test('no instant comes after the end of the last day of the calendar', () => {
  expect(parseUntil('9999-12-31').toISOString()).toBe('9999-12-31T23:59:59.999Z');
});

test.each([
  [0, 'now'],
  [-90, '1 minute ago'],
  [-47 * 3600, '47 hours ago'],
  [49 * 3600, 'in 2 days'],
  [-400 * 86_400, '13 months ago'],
])('says how far away a time is that is %d seconds from now', (seconds, distance) => {
  // Half a second from the bound, so that the test may take a while.
  const ahead = seconds * 1000 + Math.sign(seconds) * 500;
  const said = timeText(new Date(Date.now() + ahead).toISOString());
  expect(said).toMatch(/^[A-Z][a-z]+ \d\d? [A-Z][a-z]+ \d{4}, \d\d:\d\d UTC \(/);
  expect(said.split('(')[1]).toBe(`${distance})`);
});
