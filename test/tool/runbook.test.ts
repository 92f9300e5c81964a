import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { loginRefusals } from '../../src/base/error.ts';
import { readEnvironment } from '../../src/tool/wrangler-config.ts';
import { alarmNames } from '../../src/view/alarm.ts';
import { phases } from '../../src/worker/cron.ts';
import { startTool } from './tool.ts';

const tool = startTool();

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

const works = phases.flatMap((phase) => Object.keys(phase));

it.each(works.map((name) => [name]))('explains what a failure of %s means', (name) => {
  expect(runbook).toContain(`\`${name}\``);
});

it.each(loginRefusals.map((refusal) => [refusal]))('explains the refusal %s', (refusal) => {
  expect(runbook).toContain(`\`${refusal}\``);
});

it.each([...new Set(events)].map((name) => [name]))('explains the line %s of the log', (event) => {
  expect(runbook).toContain(`"event":"${event}"`);
});

const { own } = readEnvironment('wrangler.toml', 'production');

it.each(Object.keys(own!.vars!))('has the setting %s in the check list', (name) => {
  const [, checkList] = runbook.split(/^## Check list for a new deployment$/m);
  expect(checkList).toContain(`\`${name}\``);
});

it("counts a month's figures on a backup with the SQL that it shows", async () => {
  const registry = await tool.newRegistry('ALPHA', 'BETA');
  await registry.addContacts('ALPHA:1', 'ALPHA:2');
  await registry.done('contact demand ALPHA:1 --claims identity --by 2099-01-31');
  await registry.done('retained add a.ee b.ee --status reserved');
  await registry.done('auction start kohv.ee');
  const file = path.join(await tool.newDirectory(), 'registry.sqlite');
  await registry.done(['backup', 'write', file]);
  const [, section = ''] = runbook.split(/^## Figures of a month$/m);
  const [, statements = ''] = /```sql\n(.*?)```/s.exec(section)!;
  const thisMonth = new Date().toISOString().slice(0, 7);
  const asked = statements.replaceAll('2026-10', thisMonth).trim().split(';\n');
  using backup = new DatabaseSync(file, { readOnly: true });
  const figures = asked.map((query) =>
    backup
      .prepare(query)
      .all()
      .map((row) => ({ ...row })),
  );
  expect(figures).toEqual([
    [
      { registrar: 'ALPHA', contacts_now: 2 },
      { registrar: 'BETA', contacts_now: 0 },
    ],
    expect.arrayContaining([
      { subject: 'contact', action: 'create', changes: 2 },
      { subject: 'retained_domain', action: 'create', changes: 2 },
    ]),
    [{ auctions_became: 'started', auctions: 1 }],
    [{ status: 'reserved', names_now: 2 }],
    [
      {
        ...{ registrar: 'ALPHA', contacts_now: 2 },
        ...{ identity_verified: 0, demanded: 1, overdue: 0 },
      },
    ],
  ]);
});
