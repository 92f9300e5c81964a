import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Hono } from 'hono';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { opening } from '../../src/tool/bindings.ts';
import { loopbackPages } from '../../src/tool/desk/pages.ts';
import { serveDesk } from '../../src/tool/desk/server.ts';
import { openRegistry } from '../../src/tool/registry.ts';
import { findViolations, startBrowser, type View } from '../support/browser.ts';
import { contactHeader, openKept, startTool } from '../tool/tool.ts';

const tool = startTool();
const registry = tool.sharedRegistry('ALPHA', 'BETA');
const browser = startBrowser();
const closing = new AsyncDisposableStack();
let pages: Hono;
let transfer: string;
let update: string;
let erased: string;

beforeAll(async () => {
  await registry.done('auction start kuld.ee');
  await registry.done([
    'auction',
    'cancel',
    'kuld.ee',
    '--reason',
    'entered twice by_mistake',
    '--yes',
  ]);
  await registry.done('api-user add --registrar ALPHA --username alpha_bot');
  const channels = ['--phone', '+372.6123456', '--email', 'abi@alpha.example'];
  await registry.done(['registrar', 'update', 'ALPHA', ...channels]);
  const people = [
    'ALPHA:TAMM,Jaan Tamm,jaan@tamm.example,+372.5551234,38001085718,priv,EE',
    'ALPHA:KASK,Mari Kask,mari@kask.example,+372.5551235,48703146529,priv,EE',
    'ALPHA:GONE,Rein Kuusk,rein@kuusk.example,+372.5551237,36504302203,priv,EE',
    'ALPHA:KASK2,Mari Kaskin,kaskin@example.ee,+372.5551236,EE1234,priv,FI',
    'ALPHA:LEFT,Peeter Lahkunud,peeter@left.example,+372.5551239,37605030299,priv,EE',
  ];
  await registry.done('contact import - --registrar ALPHA', contactHeader + people.join('\n'));
  await registry.done('domain import -', 'name,registrar,registrant\ntamm.ee,ALPHA,ALPHA:TAMM\n');
  await registry.done('contact update ALPHA:TAMM --email jaan@uus.example');
  const updated = await registry.done('contact update ALPHA:TAMM --phone +372.5559999');
  update = updated.request_id;
  erased = (await registry.done('contact erase ALPHA:GONE --yes')).contact.uuid;
  await registry.done('retained add kask.ee --status reserved');
  await registry.done('contact delete ALPHA:LEFT --yes');
  await registry.done('auction start kohv.ee mets.ee');
  registry.edit(
    `update auctions set status = 'awaiting_payment', registration_deadline = '2099-01-31' where name = 'mets.ee'`,
  );
  await registry.done('dispute open vaidlus.ee --first-day 2026-01-01');
  await registry.done(['dispute', 'close', 'vaidlus.ee', '--reason', 'settled in court']);
  await registry.done('dispute open lepp.ee --first-day 2026-01-01');
  await registry.done(['registrar', 'suspend', 'BETA', '--reason', 'contract ended']);
  await registry.done([
    ...['disclosure', 'open', '--contact', 'ALPHA:TAMM', '--requester', 'Mari Maasikas'],
    ...['--identified-by', 'ID card', '--organization', 'Police', '--basis', 'case 12-3'],
    ...['--fields', 'name,email'],
  ]);
  const names = Array.from({ length: 250 }, (_, n) => `many${n}.ee`);
  await registry.done(['retained', 'add', ...names, '--status', 'blocked']);
  transfer = (await registry.done('contact transfer ALPHA:KASK2 --to BETA --yes')).request_id;
  const next = 'ALPHA:GONE,Next Owner,next@owner.example,+372.5551238,47608290041,priv,EE\n';
  await registry.done('contact import - --registrar ALPHA', contactHeader + next);
  const options = { persistTo: registry.directory };
  const opened = await opening.run(openKept, () => openRegistry(options, closing));
  pages = loopbackPages(options, opened);
});
afterAll(() => closing.disposeAsync());

/** Opens a desk of its own, whose address works once. */
async function openDesk(view?: View) {
  const opened = await browser.open(new URL(closing.use(await serveDesk(pages)).url), view);
  await opened.page.getByRole('searchbox').waitFor();
  await opened.page.waitForLoadState();
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

test('prints the address beside the file, for a browser that cannot read the file', async () => {
  const desk = registry.start('desk --no-open');
  onTestFinished(() => void desk.kill());
  const [printed] = await once(desk.stdout, 'data');
  const [, file, address] = /^(file:\S+)\nor, .*: (\S+)\n$/.exec(String(printed))!;
  expect(await readFile(fileURLToPath(file!), 'utf8')).toContain(`url=${address}"`);
});

/** What is asked on the telephone, what one types, and what the first page then says. */
test.each([
  ['Whose is tamm.ee?', 'tamm.ee', 'tamm.ee is registered with Alpha OÜ ALPHA, and held by'],
  ['Whom do I call about tamm.ee?', 'tamm.ee', 'can be reached at +372.6123456 or abi@alpha'],
  ['What is the number of Alpha?', 'alpha oü', '+372.6123456'],
  ['Is my e-mail verified?', 'alpha:tamm', 'not checked\nidentity, name, e-mail, phone, address'],
  ['To whom were my data given?', 'alpha:tamm', 'No granted request that the person may know of'],
  ['Who won mets.ee?', 'mets.ee', 'Only the auction centre knows the bidders and the winner.'],
  ['Who is behind www.tamm.ee?', 'tamm.ee', 'and held by Jaan Tamm ALPHA:TAMM.'],
  ['Why can I not register kask.ee?', 'KASK.ee', '"kask.ee" is reserved'],
  ['Is kohv.ee still in auction?', 'kohv.ee', 'kohv.ee is in auction; this auction was opened on'],
  [
    'Is there a dispute about lepp.ee?',
    'lepp.ee',
    'is disputed: first day 1 Jan 2026, no last day unless it is closed before',
  ],
  ['Which contacts do I have? My code is 38001085718.', '38001085718', 'ALPHA:TAMM'],
  ['Which domains do I have? My code is 38001085718.', '38001085718', 'tamm.ee'],
  ['Who calls from 555 1235?', '555 1235', 'Mari Kask (ALPHA:KASK)'],
  [
    'Whose address was jaan@tamm.example?',
    'jaan@tamm.example',
    'Formerly of the contact ALPHA:TAMM (now Jaan Tamm), until',
  ],
  ['Is there a Mari Kaks?', 'Mari Kaks', 'mari@kask.example'],
  [
    'Was there a Peeter Lahkunud?',
    'peeter lahkunud',
    'This contact no longer exists: it was deleted on',
  ],
  ['Why did the dispute about vaidlus.ee end?', 'vaidlus.ee', ': settled in court.'],
  ['Until when must the winner of mets.ee pay?', 'mets.ee', 'is to be registered by 31 Jan 2099'],
  ['Why is koh_vik.ee no name?', 'koh_vik.ee', 'contains an underscore, which is not allowed'],
  ['I am Mari Kask, which e-mail do you have of me?', 'mari k', 'mari@kask.example'],
  ['Who changed my number?', 'jaan@uus.example', 'phone: +372.5551234 → +372.5559999'],
  ['Which domains does the contact ALPHA:TAMM have?', 'alpha:tamm', 'tamm.ee'],
  ['Why can our programs not log in? This is BETA.', 'beta', ': contract ended. Nobody can log in'],
  ['What became of request …?', 'REQUEST', 'changed the contact ALPHA:KASK2 (now Mari Kaskin)'],
])('%s', async (_, text, answer) => {
  // On a wider screen, more of a page is on the first one.
  const page = await find(text === 'REQUEST' ? transfer : text, { width: 390 });
  expect(await firstScreenOf(page)).toContain(answer);
});

async function firstScreenOf(page: Page): Promise<string> {
  const seen = await page
    .locator('h1, .lead, dt, dd, td, main li')
    .evaluateAll((elements) =>
      elements
        .filter((element) => element.getBoundingClientRect().top < 900)
        .map(({ textContent }) => textContent),
    );
  return seen.join('\n').replace(/[^\S\n]+/g, ' ');
}

/** What one reads, without regard to how it is laid out. */
async function wordsOf(page: Page): Promise<string> {
  return (await page.locator('main').textContent())!.replace(/\s+/g, ' ');
}

test('no page speaks the words of the tables', async () => {
  for (const text of ['', 'tamm.ee', 'mets.ee', 'ALPHA:TAMM', '38001085718', 'beta', transfer]) {
    const page = await find(text);
    const words = (await wordsOf(page)).replaceAll('alpha_bot', '');
    expect(words).not.toMatch(/\d{4}-\d\d-\d\dT|null|[a-z]_[a-z]|\bNo disputes\b/);
  }
});

test('a page says what was entered as it was entered', async () => {
  const page = await find('alpha');
  const words = await wordsOf(page);
  expect(words).toContain('alpha_bot');
  const name = await find('kuld.ee');
  expect(await firstScreenOf(name)).toContain('reason: entered twice by_mistake');
});

test('the last figure of a chart is that of the table', async () => {
  const { page } = await openDesk();
  const row = page.getByRole('row', { name: 'Blocked names' });
  expect(await row.locator('b').textContent()).toBe('250');
  expect(await row.getByRole('img').getAttribute('aria-label')).toMatch(/, 250 today$/);
});

test('a command is shown only where it would work', async () => {
  const commandsOf = async (text: string) => {
    const page = await find(text);
    return page.locator('code').allInnerTexts();
  };
  expect(await commandsOf('ALPHA:TAMM')).not.toContainEqual(expect.stringContaining('erase'));
  expect(await commandsOf('ALPHA:KASK')).toContainEqual(
    expect.stringMatching(/contact erase [0-9a-f-]{36} --dry-run/),
  );
  const { page } = await openDesk();
  await page.goto(new URL(`/contact/${erased}`, page.url()).href);
  expect(await page.locator('code').allInnerTexts()).toEqual([
    expect.stringContaining('history contact ALPHA:GONE'),
  ]);
  expect(await commandsOf(transfer)).toEqual([expect.stringContaining('history --request')]);
  expect(await commandsOf(update)).toContainEqual(expect.stringContaining('history revert'));
});

test('a code that another contact has by now has no name beside it', async () => {
  const { page } = await openDesk();
  await page.goto(new URL(`/contact/${erased}`, page.url()).href);
  const words = await wordsOf(page);
  expect(words).toMatch(/The operator \(\S+\) deleted the contact ALPHA:GONE/);
  expect(words).not.toContain('Next Owner');
});

test('a button copies its command, and is not there without a script', async () => {
  const page = await find('tamm.ee');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: /^Copy npm run registry -- name tamm.ee / }).click();
  await page.getByText('Copied').waitFor();
  const command = await page.locator('code').first().textContent();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(command);
  const plain = await openDesk({ isScriptOff: true });
  expect(await plain.page.getByRole('button').allTextContents()).toEqual(['Find']);
});

test.each([
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 390 },
] as const)('every page is sound and needs no script ($colorScheme, $width px)', async (view) => {
  const texts = ['', 'tamm.ee', 'ALPHA:TAMM', '38001085718', 'mari k', 'mari kaks', 'vaidlus.ee'];
  for (const text of [...texts, 'beta', transfer, 'nobody', 'koh_vik.ee', 'peeter lahkunud']) {
    const page = await find(text, view);
    expect({ text, violations: await findViolations(page) }).toEqual({ text, violations: [] });
    const overflow = 'document.documentElement.scrollWidth - innerWidth';
    expect({ text, overflow: await page.evaluate(overflow) }).toEqual({ text, overflow: 0 });
  }
});
