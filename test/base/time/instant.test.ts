import fc from 'fast-check';
import { expect, test } from 'vitest';
import { instantOf } from '../../../src/base/time/instant.ts';

test.each([
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['2026-01-01T02:00:00.123456789+0200', '2026-01-01T00:00:00.123Z'],
  ['2026-01-01T02:00:00,5+02', '2026-01-01T00:00:00.500Z'],
])('reads %s as %s', (text, instant) => {
  expect(instantOf(text)?.toISOString()).toBe(instant);
});

test.each([
  ...[
    '2026-02-30',
    '2026-02-30T00:00Z',
    '2026-01-01T24:00Z',
    '2026-01-01T00:60Z',
    '2026-01-01T00:00:60Z',
  ],
  ...[
    '2026-01-01 00:00Z',
    '2026-01-01T00Z',
    '2026-01-01T00:00+2',
    '2026-01-01T00:00+24:00',
    '20260101T0000Z',
  ],
  ...[
    '0000-01-01T00:00+00:01',
    '9999-12-31T23:59-00:01',
    '+02026-01-01',
    '2026-01-01T00:00:00.Z',
    '1795244731',
    '',
  ],
])('refuses %j', (text) => {
  expect(instantOf(text)).toBeUndefined();
});

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const two = (number: number) => String(number).padStart(2, '0');

test('reads every date-time with or without seconds, a fraction and an offset', () => {
  const time = fc.record({
    day: fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true }),
    ...{
      hour: fc.nat(23),
      minute: fc.nat(59),
      second: optional(fc.nat(59)),
      digits: fc.stringMatching(/^\d{0,9}$/),
    },
    offset: optional(fc.tuple(fc.constantFrom(1, -1), fc.nat(23), fc.nat(59))),
    isUtc: fc.boolean(),
  });
  fc.assert(
    fc.property(time, ({ day, hour, minute, second, digits, offset, isUtc }) => {
      const fraction = second === undefined ? '' : digits;
      const [sign, hours, minutes] = offset ?? [1, 0, 0];
      const zone = offset
        ? `${sign > 0 ? '+' : '-'}${two(hours)}:${two(minutes)}`
        : isUtc
          ? 'Z'
          : '';
      const seconds = second === undefined ? '' : `:${two(second)}${fraction && `.${fraction}`}`;
      const text = `${day.toISOString().slice(0, 10)}T${two(hour)}:${two(minute)}${seconds}${zone}`;
      const milliseconds = Math.floor(Number(`0.${fraction || 0}`) * 1000 + 1e-6);
      const local = ((hour * 60 + minute) * 60 + (second ?? 0)) * 1000 + milliseconds;
      const start =
        Date.UTC(2000, 0, 1) +
        Math.floor((day.getTime() - Date.UTC(2000, 0, 1)) / 86_400_000) * 86_400_000;
      expect(instantOf(text)?.getTime()).toBe(
        start + local - sign * (hours * 60 + minutes) * 60_000,
      );
    }),
  );
});
