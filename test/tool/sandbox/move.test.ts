import { readFileSync } from 'node:fs';
import { parse } from 'smol-toml';
import { expect, it } from 'vitest';
import { instantAfter } from '../../../src/tool/sandbox/calls.ts';
import { dailyCron, dueRuns, hourlyCron } from '../../../src/tool/sandbox/move.ts';

function due(from: string, to: string): string[] {
  return dueRuns(new Date(from), new Date(to)).map(
    ({ cron, at }) => `${cron === dailyCron ? 'daily' : 'hourly'} ${at.toISOString().slice(0, 16)}`,
  );
}

it('what is due follows the schedule of the deployment', () => {
  const { triggers } = parse(readFileSync('wrangler.toml', 'utf8')) as {
    triggers: { crons: string[] };
  };
  expect(triggers.crons).toEqual([dailyCron, hourlyCron]);
});

it('what is due is nothing where no time was passed', () => {
  expect(due('2026-11-21T00:01:00Z', '2026-11-21T00:01:00Z')).toEqual([]);
  expect(due('2026-11-21T00:31:00Z', '2026-11-21T01:30:59Z')).toEqual([]);
});

it('what is due is every day, and every hour of the last one, in order', () => {
  expect(due('2026-12-30T00:01:00Z', '2027-01-01T01:31:00Z')).toEqual([
    'daily 2026-12-31T00:01',
    'daily 2027-01-01T00:01',
    'hourly 2027-01-01T00:31',
    'hourly 2027-01-01T01:31',
  ]);
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
