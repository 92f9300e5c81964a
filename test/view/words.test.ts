import { afterEach, beforeEach, expect, test } from 'vitest';
import { setClockAhead } from '../../src/base/time/clock.ts';
import {
  actorText,
  openingText,
  showTimesIn,
  statusWords,
  timeText,
  valueText,
} from '../../src/view/words.ts';

const instant = '2026-11-27T23:13:14.567Z';

beforeEach(() => showTimesIn({}));
afterEach(() => {
  setClockAhead(0);
  showTimesIn({});
});

test('a time has its weekday, and the distance', () => {
  setClockAhead(Date.parse(instant) + 5 * 3_600_000 + 1000 - Date.now());
  expect(timeText(instant)).toBe('Fri 27 Nov 2026, 23:13 UTC (5 hours ago)');
});

test('a time has the time where the staff are beside it, and the weekday there if it is another', () => {
  setClockAhead(Date.parse(instant) + 5 * 3_600_000 + 1000 - Date.now());
  showTimesIn({ TIME_ZONE: 'Europe/Tallinn' });
  expect(timeText(instant)).toBe('Fri 27 Nov 2026, 23:13 UTC (Sat 01:13 in Tallinn, 5 hours ago)');
  expect(timeText('2026-11-27T21:13:14.567Z')).toBe(
    'Fri 27 Nov 2026, 21:13 UTC (23:13 in Tallinn, 7 hours ago)',
  );
  showTimesIn({ TIME_ZONE: 'America/New_York' });
  expect(timeText(instant)).toContain('23:13 UTC (18:13 in New York, 5 hours ago)');
});

test('without a zone, and with a malformed one, a time is in UTC alone', () => {
  for (const TIME_ZONE of ['', 'UTC', 'Nowhere']) {
    showTimesIn({ TIME_ZONE });
    expect(timeText(instant)).toMatch(/^Fri 27 Nov 2026, 23:13 UTC \([^,]+\)$/);
  }
});

test('a status and who changed something are words of staff', () => {
  expect(statusWords('clientDeleteProhibited')).toBe('its registrar prohibits its deletion');
  expect(statusWords('serverTransferProhibited')).toBe(
    'the registry prohibits its transfer to another registrar',
  );
  expect(statusWords('pendingVerification')).toBe('pending verification');
  expect(valueText({ method: 'eid', framework: 'eidas' }, 'identity_verification')).toBe(
    'method: electronic identity, framework: eIDAS',
  );
  expect(actorText('Operator root')).toBe('the operator (root)');
  expect(openingText({ actor: 'Operator root' })).toBe('The operator (root)');
  expect(openingText({ field: 'phone' })).toBe('phone');
});
