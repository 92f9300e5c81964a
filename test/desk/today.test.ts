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
