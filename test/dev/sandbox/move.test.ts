import { readFileSync } from 'node:fs';
import { parse } from 'smol-toml';
import { expect, it } from 'vitest';
import { instantAfter } from '../../../src/dev/sandbox/calls.ts';
import { dailyCron, dailyRuns, hourlyCron } from '../../../src/dev/sandbox/move.ts';

it('what is due follows the schedule of the deployment', () => {
  const { triggers } = parse(readFileSync('wrangler.toml', 'utf8')) as {
    triggers: { crons: string[] };
  };
  expect(triggers.crons).toEqual([dailyCron, hourlyCron]);
});

it.each([
  ['2026-11-21T00:01:00Z', '2026-11-21T00:01:00Z', []],
  ['2026-11-21T00:31:00Z', '2026-11-22T00:00:59Z', []],
  ['2026-12-30T00:01:00Z', '2027-01-01T01:31:00Z', ['2026-12-31', '2027-01-01']],
])('what is due from %s to %s is the daily run of %j', (from, to, days) => {
  const runs = dailyRuns(new Date(from), new Date(to)).map((at) => at.toISOString());
  expect(runs).toEqual(days.map((day) => `${day}T00:01:00.000Z`));
});

it.each([
  ['P8D', '2026-02-08T12:00:00.000Z'],
  ['P1W', '2026-02-07T12:00:00.000Z'],
  ['P1M', '2026-02-28T12:00:00.000Z'],
  ['P1Y2M', '2027-03-31T12:00:00.000Z'],
  ['PT36H', '2026-02-02T00:00:00.000Z'],
  ['P1DT1H1M1.5S', '2026-02-01T13:01:01.500Z'],
])('finds the instant %s later', (duration, later) => {
  expect(instantAfter(new Date('2026-01-31T12:00:00.000Z'), duration).toISOString()).toBe(later);
});
