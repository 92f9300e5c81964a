import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { loginRefusals } from '../../src/base/error.ts';
import { alarmNames } from '../../src/tool/nouns/alarm.ts';
import { workNames } from '../../src/worker/cron.ts';

const runbook = readFileSync('src/tool/runbook.md', 'utf8');

/** The events of the log, by the calls that write them. */
const events = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .flatMap((file) => [...readFileSync(`src/${file}`, 'utf8').matchAll(/\bevent: '(\w+)'/g)])
  .map(([, event]) => event!)
  .filter((event) => event !== 'request');

it.each(alarmNames.map((name) => [name]))('explains the alarm %s', (name) => {
  expect(runbook).toContain(`\`${name}\``);
});

it.each(workNames.map((name) => [name]))('explains what a failure of %s means', (name) => {
  expect(runbook).toContain(`\`${name}\``);
});

it.each(loginRefusals.map((refusal) => [refusal]))('explains the refusal %s', (refusal) => {
  expect(runbook).toContain(`\`${refusal}\``);
});

it.each([...new Set(events)].map((name) => [name]))('explains the line %s of the log', (event) => {
  expect(runbook).toContain(`"event":"${event}"`);
});
