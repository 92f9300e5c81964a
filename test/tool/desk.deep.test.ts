import type { Hono } from 'hono';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { opening } from '../../src/tool/bindings.ts';
import { deskPages } from '../../src/tool/desk/desk.tsx';
import { serveDesk } from '../../src/tool/desk/server.ts';
import { openRegistry } from '../../src/tool/registry.ts';
import { findViolations, startBrowser, type View } from '../support/browser.ts';
import { contactHeader, openKept, startTool } from './tool.ts';

const tool = startTool();
const registry = tool.sharedRegistry('ALPHA', 'BETA');
const browser = startBrowser();
const closing = new AsyncDisposableStack();
let pages: Hono;
let transfer: string;

beforeAll(async () => {
  const names = Array.from({ length: 250 }, (_, n) => `many${n}.ee`);
  await registry.done(['retained', 'add', ...names, '--status', 'blocked']);
  const people = [
    'ALPHA:TAMM,Jaan Tamm,jaan@tamm.example,+372.5551234,38001085718,priv,EE',
    'ALPHA:KASK,Mari Kask,mari@kask.example,+372.5551235,48703146529,priv,EE',
    'ALPHA:KASK2,Mari Kaskin,kaskin@example.ee,+372.5551236,EE1234,priv,FI',
  ];
  await registry.done('contact import - --registrar ALPHA', contactHeader + people.join('\n'));
  await registry.done('domain import -', 'name,registrar,registrant\ntamm.ee,ALPHA,ALPHA:TAMM\n');
  await registry.done('contact update ALPHA:TAMM --email jaan@uus.example');
  await registry.done('contact update ALPHA:TAMM --phone +372.5559999');
  await registry.done('retained add kask.ee --status reserved');
  await registry.done('auction start kohv.ee');
  await registry.done('dispute open lepp.ee --from 2026-01-01');
  await registry.done(['registrar', 'suspend', 'BETA', '--reason', 'contract ended']);
  await registry.done([
    ...['disclosure', 'open', '--contact', 'ALPHA:TAMM', '--requester', 'Mari Maasikas'],
    ...['--identified-by', 'ID card', '--organization', 'Police', '--basis', 'case 12-3'],
    ...['--fields', 'name,email'],
  ]);
  transfer = (await registry.done('contact transfer ALPHA:KASK2 --to BETA --yes')).request_id;
  const options = { persistTo: registry.directory };
  const opened = await opening.run(openKept, () => openRegistry(options, closing));
  pages = deskPages(options, opened);
});
afterAll(() => closing.disposeAsync());

/** Opens a desk of its own, whose address works once. */
async function openDesk(view?: View) {
  const opened = await browser.open(new URL(closing.use(await serveDesk(pages)).url), view);
  await opened.page.getByRole('searchbox').waitFor();
  // The first page opens the next one at once, which may abort its icon.
  opened.problems.length = 0;
  return opened;
}

/** Opens the desk, and looks for the text. */
async function find(text: string, view?: View): Promise<Page> {
  const { page, problems } = await openDesk(view);
  await page.getByRole('searchbox').fill(text);
  await loaded(page, () => page.keyboard.press('Enter'));
  expect(problems).toEqual([]);
  return page;
}

async function loaded(page: Page, act: () => Promise<void>) {
  const load = page.waitForEvent('load');
  await act();
  await load;
}

/** What is asked on the telephone: what one types, what one clicks, and what one then reads. */
test.each([
  ['Whose is tamm.ee?', 'tamm.ee', ['ALPHA:TAMM'], 'Jaan Tamm'],
  ['Why can I not register kask.ee?', 'KASK.ee', [], 'kask.ee is reserved.'],
  ['Is kohv.ee still in auction?', 'kohv.ee', [], 'kohv.ee is in auction.'],
  ['Is there a dispute about lepp.ee?', 'lepp.ee', [], 'lepp.ee is disputed.'],
  [
    'Which contacts do I have? My code is 38001085718.',
    '38001085718',
    [],
    'Jaan Tamm (ALPHA:TAMM)',
  ],
  [
    'I am Mari Kask, which e-mail address do you have of me?',
    'mari k',
    ['ALPHA:KASK'],
    'mari@kask.example',
  ],
  [
    'Who changed my telephone number? I am jaan@uus.example.',
    'jaan@uus.example',
    [],
    '"+372.5551234" to "+372.5559999"',
  ],
  [
    'Which domains does the contact ALPHA:TAMM have?',
    'alpha:tamm',
    ['tamm.ee'],
    'registered with ALPHA',
  ],
  ['Why can our programs not log in? This is BETA.', 'beta', [], 'contract ended'],
  ['What became of request …?', 'REQUEST', ['ALPHA:KASK2'], 'Mari Kaskin'],
])('%s', async (_, text, clicks, answer) => {
  const page = await find(text === 'REQUEST' ? transfer : text);
  for (const name of clicks) {
    await loaded(page, () => page.getByRole('link', { name }).first().click());
  }
  expect(clicks.length).toBeLessThanOrEqual(2);
  expect(await page.locator('main').textContent()).toContain(answer);
});

test('today shows what waits, and how to take back what happened', async () => {
  const { page } = await openDesk();
  const text = await page.locator('main').textContent();
  expect(text).toMatch(/ALPHA:TAMM\s*Police\s*name, email/);
  expect(text).toContain('Beta OÜ');
  expect(text).toMatch(/take back: npm run registry -- history revert [0-9a-f-]{36} --persist-to/);
});

test('today does not count the changes of a request as all if it has not read them all', async () => {
  const { page } = await openDesk();
  const text = await page.locator('main').textContent();
  expect(text).toMatch(/and at least 1\d\d more changes/);
});

test('a search by an address offers no search by an identity code', async () => {
  const page = await find('nobody@kask.example');
  const text = await page.locator('main').textContent();
  expect(text).toContain('Nothing found');
  expect(text).not.toContain('--ident');
});

test('two moments of a contact stand side by side, with what differs marked', async () => {
  const page = await find('ALPHA:TAMM');
  await page.getByLabel('then').selectOption({ index: 2 });
  await loaded(page, () => page.getByRole('button', { name: 'Compare' }).click());
  expect(await page.locator('mark').allInnerTexts()).toEqual(['+372.5559999', 'jaan@uus.example']);
});

test.each([
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 390 },
] as const)('every page is sound and needs no script ($colorScheme, $width px)', async (view) => {
  for (const text of ['', 'tamm.ee', 'ALPHA:TAMM', 'mari k', 'beta', transfer, 'nobody']) {
    const page = await find(text, view);
    expect({ text, violations: await findViolations(page) }).toEqual({ text, violations: [] });
    const overflow = 'document.documentElement.scrollWidth - innerWidth';
    expect({ text, overflow: await page.evaluate(overflow) }).toEqual({ text, overflow: 0 });
  }
});
