import { expect, onTestFinished, test } from 'vitest';
import { setClockAhead } from '../../src/base/time/clock.ts';
import { dayOf } from '../../src/base/time/day.ts';
import { opening } from '../../src/tool/bindings.ts';
import { loopbackPages } from '../../src/tool/desk/pages.ts';
import { contactHeader, openKept, startTool } from '../tool/tool.ts';

const registry = startTool().sharedRegistry('ALPHA');

test('the first page says what is overdue, and shows the command of each warning, ready to copy', async () => {
  const contact = 'ALPHA:1,Mari Tamm,mari@tamm.example,+372.5551231,48703146529,priv,EE\n';
  await registry.done('contact import - --registrar ALPHA', contactHeader + contact);
  const today = dayOf(new Date());
  await registry.done(['contact', 'demand', 'ALPHA:1', '--claims', 'name,email', '--by', today]);
  setClockAhead(2 * 24 * 60 * 60 * 1000);
  onTestFinished(() => setClockAhead(0));
  const pages = loopbackPages({ persistTo: registry.directory }, undefined);
  const answer = await opening.run(openKept, () => pages.request('/'));
  const html = await answer.text();
  expect(html.replace(/<[^>]+>/g, '')).toMatch(
    /Mari Tamm ALPHA:1: name, e-mail had to be checked by \d+ \w+ \d{4}\./,
  );
  expect(html).toContain(
    `<code>npm run registry -- contact list --overdue --persist-to ${registry.directory}</code>`,
  );
});

test('a warning says how far away its time is', async () => {
  const contact = 'ALPHA:2,Mari Tamm,mari@tamm.example,+372.5551231,48703146529,priv,EE\n';
  await registry.done('contact import - --registrar ALPHA', contactHeader + contact);
  await registry.done([
    ...['disclosure', 'open', '--contact', 'ALPHA:2', '--requester', 'Mari Maasikas'],
    ...['--identified-by', 'ID card', '--organization', 'Police', '--basis', 'case 12-3'],
    ...['--fields', 'name'],
  ]);
  setClockAhead(70 * 60 * 60 * 1000);
  onTestFinished(() => setClockAhead(0));
  const pages = loopbackPages({ persistTo: registry.directory }, undefined);
  const answer = await opening.run(openKept, () => pages.request('/'));
  const text = (await answer.text()).replace(/<[^>]+>/g, '').replace(/\s+/g, ' ');
  expect(text).toMatch(
    /Warning: The request for disclosure 1 is to be answered by \w{3} \d+ \w+ \d{4}, \d\d:\d\d UTC \(in (119 minutes|2 hours)\)\./,
  );
});

test('what waits and must be kept from the person stands apart, as a warning', async () => {
  const person = 'ALPHA:K,Mari Tamm,mari@tamm.example,+372.5551231,38001085718,priv,EE\n';
  await registry.done('contact import - --registrar ALPHA', contactHeader + person);
  await registry.done([
    ...['disclosure', 'open', '--contact', 'ALPHA:K', '--requester', 'Mati Secret', '--basis', '1'],
    ...['--identified-by', 'ID card', '--organization', 'Police', '--fields', 'name'],
    '--confidential',
  ]);
  const pages = loopbackPages({ persistTo: registry.directory }, undefined);
  const answer = await opening.run(openKept, () => pages.request('/'));
  const lists = [...(await answer.text()).matchAll(/<ul class="([^"]*)">(.*?)<\/ul>/gs)];
  const shown = lists
    .map(([, kind, list]) => [kind, list!.replace(/<[^>]+>/g, '')])
    .filter(([, text]) => text!.includes('Mati Secret'));
  expect(shown).toEqual([
    [
      'sentences kept answer warning',
      expect.stringMatching(
        /^Do not tell the caller: Mati Secret \(Police\) asks for name of Mari/,
      ),
    ],
  ]);
});

async function firstPage(): Promise<string> {
  const pages = loopbackPages({ persistTo: registry.directory }, undefined);
  const answer = await opening.run(openKept, () => pages.request('/'));
  return (await answer.text()).replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
}

test('what waits is ordered by its time, and counts what the page does not show', async () => {
  const person = (n: number) =>
    `ALPHA:W${n},Mari Tamm,mari@tamm.example,+372.5551231,48703146529,priv,EE\n`;
  const people = Array.from({ length: 21 }, (_, n) => person(n));
  await registry.done('contact import - --registrar ALPHA', contactHeader + people.join(''));
  const open = (code: string, received: string) =>
    registry.done([
      ...['disclosure', 'open', '--contact', code, '--requester', 'Mari Maasikas'],
      ...['--identified-by', 'ID card', '--organization', 'Police', '--basis', 'case 12-3'],
      ...['--fields', 'name', '--received', received],
    ]);
  const now = Date.now();
  const hoursAgo = (hours: number) => new Date(now - hours * 3_600_000).toISOString();
  for (let n = 0; n < 20; n++) await open(`ALPHA:W${n}`, hoursAgo(1));
  await open('ALPHA:W20', hoursAgo(100));
  const text = await firstPage();
  const [, waits] = /What waits (.*) What happened lately/.exec(text)!;
  expect(waits).toMatch(/^ ?Mari Maasikas \(Police\) asks for name of Mari Tamm ALPHA:W20/);
  const { disclosures } = await registry.done('disclosure list --open');
  expect(waits).toContain(`More requests for disclosure are open: ${disclosures.length - 20}.`);
});

test('a command of many rows is one line of what happened lately, and earlier ones follow it', async () => {
  await registry.done('retained add enne.ee --status blocked');
  const names = Array.from({ length: 250 }, (_, n) => `many${n}.ee\n`).join('');
  await registry.done('retained import - --status blocked', `name\n${names}`);
  const [, lately] = /What happened lately (.*) The lists/.exec(await firstPage())!;
  const lines = lately!.split(/(?=The operator)/);
  expect(lines[0]).toMatch(/^The operator \(\w+\) blocked many0.ee .* and 249 more changes ?$/);
  expect(lines[1]).toMatch(/^The operator \(\w+\) blocked enne.ee /);
});

test('no winner is late with a name that somebody has registered', async () => {
  await registry.done('auction start hilja.ee vara.ee');
  const { env, dispose } = await registry.open();
  await env.DB.prepare(
    `update auctions set status = 'payment_received', registration_deadline = '2020-12-03'`,
  ).run();
  await dispose();
  await registry.done('domain import -', 'name,registrar,registrant\nvara.ee,ALPHA,ALPHA:1\n');
  const text = await firstPage();
  expect(text).toMatch(
    /Warning: hilja.ee was sold at auction and is paid, and was to be registered by 3 Dec 2020 \./,
  );
  expect(text).not.toMatch(/vara.ee was sold/);
  expect(text).toMatch(/Warning: vara.ee is a registered domain, and has an auction/);
});

test('what happened lately says that a command has more changes than were looked at', async () => {
  const { env, dispose } = await registry.open();
  await env.DB.prepare(
    `with recursive n as (select 1 as id union all select id + 1 from n where id < 15100)
     insert into history (occurred_at, subject, subject_key, action, actor_type, actor, request_id, changes)
     select '2026-01-02T03:04:05.678Z', 'retained_domain', 'n' || id || '.ee', 'create', 'operator', 'Operator olga', 'long', '{}' from n`,
  ).run();
  await dispose();
  await registry.done('retained add hiljem.ee --status blocked');
  const text = await firstPage();
  const [, lately] = /What happened lately (.*) The lists/.exec(text)!;
  expect(lately).toMatch(/ and at least 14998 more changes /);
  expect(lately).not.toContain('blocked enne.ee');
  expect(lately).toContain('Only the newest 15,000 changes were looked at.');
});
