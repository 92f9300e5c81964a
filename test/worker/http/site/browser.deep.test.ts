import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { findViolations, startBrowser } from '../../../support/browser.ts';
import { addAuction, addDispute, addRetainedDomain } from '../../../support/fixtures.ts';
import { startWorker } from '../../../support/worker.ts';

const worker = startWorker({ ZONES: 'ee' });
const browser = startBrowser();

const open = (path: string, view?: Parameters<typeof browser.open>[1]) =>
  browser.open(new URL(path, worker.url), view);

beforeAll(async () => {
  for (let n = 0; n < 60; n++) {
    await addRetainedDomain(worker.env, { name: `k${n}.ee`, status: 'reserved' });
  }
  await addDispute(worker.env, { name: 'k1.ee' });
  await addRetainedDomain(worker.env, { name: `${'long'.repeat(15)}.${'name'.repeat(15)}.ee` });
  await addRetainedDomain(worker.env, { name: 'broadcasthost.ee', status: 'reserved' });
  await addAuction(worker.env, { name: `${'auction'.repeat(9)}.ee` });
  for (const name of ['tamm.ee', 'kask.ee', 'žürii.ee']) await addAuction(worker.env, { name });
  await worker.env.DB.prepare(
    `with recursive n(i) as (select 0 union all select i + 1 from n where i < 365)
     insert or ignore into daily_counts (day, list, count)
     select date('now', '-' || i || ' days'), lists.value, 1000 + (i * 37) % 91
     from n, json_each('["auctions","reserved","blocked","disputed"]') lists`,
  ).run();
  await worker.scheduled('1 0 * * *');
  // All that follows is seen with the line that says so.
  await addAuction(worker.env, { name: 'behind.ee' });
  await worker.env.DB.prepare("update auction_changes set at = '2026-01-01T00:00:00.000Z'").run();
  const readPage = async () => (await worker.fetch('/en/')).text();
  await vi.waitUntil(async () => (await readPage()).includes('The lists are behind'), 20_000);
});

const states = [
  ['the whole page', ''],
  ['an answer', '?name=k1.ee'],
  ['a past day', '?name=k1.ee&as_of=2026-01-31'],
  ['a day that is not over', '?name=k1.ee&as_of=9999-01-01'],
  ['a name on no list', '?name=free.ee'],
  ['a name of another zone', '?name=free.com'],
  ['a name below another', '?name=shop.k1.ee'],
  ['what is not a name', '?name=%3Cb%3E'],
  ['a letter with many names', '?starts=k&sort=-length'],
  ['nothing found', '?starts=zzz&auctions=zzz'],
  ['a page that is not there', 'nothing'],
] as const;

/** Another language has other words, and nothing else. */
describe.each([
  ['et', states],
  ['en', states.slice(0, 2)],
] as const)('in /%s/', (language, seen) => {
  it.each(seen)('%s has no fault that axe-core finds, in light and dark', async (_, path) => {
    const { page, problems } = await open(`/${language}/${path}`);
    // The table of a year takes axe-core seconds, and is the same in every state.
    if (path === '') await page.locator('summary').click();
    expect(await findViolations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await findViolations(page, 'colours')).toEqual([]);
    // Chromium reports the page's own status as well.
    expect(problems.filter((problem) => !/status of 4\d\d/.test(problem))).toEqual([]);
  });
});

it.each(states)(
  '%s fits windows of every width, with a font of twice the size as well',
  async (_, path) => {
    const { page } = await open(`/et/${path}`);
    const fits = async (widths: number[]) => {
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 });
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      }
    };
    await fits([256, 320, 360, 390, 600, 768, 960, 1280, 1920]);
    await page.evaluate("document.documentElement.style.fontSize = '200%'");
    await fits([320, 390, 768, 1280]);
  },
);

it.each(['k1.ee', 'tamm.ee', 'free.ee'])(
  'the bar beside the verdict on %s has the colour of its words',
  async (name) => {
    const { page } = await open(`/en/?name=${name}`);
    const [bar, words] = await page.evaluate<string[]>(
      `[getComputedStyle(document.querySelector('.answer')).borderLeftColor,
        getComputedStyle(document.querySelector('.answer .said')).color]`,
    );
    expect(bar).toBe(words);
  },
);

describe.each([true, false])('without JavaScript: %s', (isScriptOff) => {
  it('leads from the keyboard to the answer', async () => {
    const { page } = await open('/en/', { isScriptOff });
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.type('K1.ee');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/en/?name=K1.ee');
    expect(await page.locator('.answer h2').textContent()).toBe('k1.ee is disputed and reserved');
    expect(await page.title()).toBe('k1.ee is disputed and reserved · Registry Edge');
  });

  it('filters, browses, and changes the language', async () => {
    const { page, problems } = await open('/en/', { isScriptOff });
    await page.getByLabel('Part of a name').fill('TAMM');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.waitForURL('**/en/?auctions=TAMM*');
    expect(await page.locator('#auctions tbody tr').count()).toBe(1);
    await page.getByLabel('Beginning of the name').fill('k');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.waitForURL('**/en/?starts=k#retained');
    await page.getByRole('link', { name: 'Next' }).click();
    await page.waitForURL('**/en/?starts=k&after=*');
    expect(await page.locator('#retained tbody tr').count()).toBe(10);
    await page.getByRole('link', { name: 'Eesti keeles' }).click();
    await page.waitForURL('**/et/?starts=k&after=*');
    expect(await page.locator('h1').textContent()).toBe('Domeeninime kontroll');
    expect(problems).toEqual([]);
  });
});

/** The text of the element that has the focus. */
const focused = (page: Page) => page.evaluate('document.activeElement.textContent');

it('shows where the focus is, on everything that takes it', async () => {
  const { page } = await open('/en/');
  const stops = new Set<string>();
  for (let presses = 0; presses < 120; presses++) {
    await page.keyboard.press('Tab');
    const [name, outline] = await page.evaluate<[string, string]>(
      '[document.activeElement.outerHTML.slice(0, 90), getComputedStyle(document.activeElement).outlineStyle]',
    );
    if (name.startsWith('<body')) break;
    expect(outline, name).toBe('solid');
    stops.add(name);
  }
  expect(stops.size).toBeGreaterThan(30);
});

it('moves nothing while it loads', async () => {
  for (const width of [390, 1280]) {
    const { page } = await open('/en/?name=k1.ee', { width });
    const shift = await page.evaluate(
      `new Promise((resolve) => {
        let sum = 0;
        new PerformanceObserver((list) => {
          for (const { value } of list.getEntries()) sum += value;
        }).observe({ type: 'layout-shift', buffered: true });
        requestAnimationFrame(() => setTimeout(() => resolve(sum)));
      })`,
    );
    expect(shift).toBe(0);
  }
});

it('takes at most 14 KB for a first visit, and all of it from its own host', async () => {
  const { page, problems } = await open('/et/');
  const loaded: { path: string; bytes: number }[] = [];
  page.on('response', async (response) => {
    const { responseHeadersSize } = await response.request().sizes();
    const body = await response.body();
    const { pathname } = new URL(response.url());
    // Compressed as the platform does it at least; the local runtime sends some of it plain.
    loaded.push({ path: pathname, bytes: gzipSync(body).length + responseHeadersSize });
  });
  await page.waitForLoadState('networkidle');
  // A 304 has no body.
  const session = await page.context().newCDPSession(page);
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  await page.reload({ waitUntil: 'networkidle' });
  await expect
    .poll(() => loaded.map(({ path }) => path).toSorted())
    .toEqual(
      expect.arrayContaining([
        '/assets/favicon.svg',
        '/assets/page.css',
        '/assets/page.js',
        '/assets/site.css',
        '/et/',
      ]),
    );
  // Without a cache, the browser asks for its icon again.
  const once = new Map(loaded.map(({ path, bytes }) => [path, bytes]));
  expect([...once.values()].reduce((total, bytes) => total + bytes, 0)).toBeLessThanOrEqual(14_000);
  expect(problems).toEqual([]);
});

it('copies the line for the terminal', async () => {
  const { page, problems } = await open('/en/');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  const { origin } = new URL(page.url());
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
    `curl --compressed '${origin}/repp/v1/retained_domains?type=disputed'`,
  );
  expect(problems).toEqual([]);
});

it.each([390, 700, 1000])(
  'covers no part of that line with its button, %s pixels wide',
  async (width) => {
    const { page } = await open('/en/', { width });
    const covered = await page.evaluate(
      `(() => {
      const button = document.querySelector('[data-copies]').getBoundingClientRect();
      const range = document.createRange();
      range.selectNodeContents(document.querySelector('#curl'));
      return [...range.getClientRects()].filter(
        ({ left, right, top, bottom }) =>
          left < button.right && right > button.left && top < button.bottom && bottom > button.top,
      ).length;
    })()`,
    );
    expect(covered).toBe(0);
  },
);

it('offers no copying where there are no scripts', async () => {
  const { page } = await open('/en/', { isScriptOff: true });
  expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0);
  expect(await page.locator('#curl').textContent()).toContain('curl --compressed');
});

it('filters the auctions as one types', async () => {
  const { page } = await open('/en/');
  const shown = () => page.locator('#auctions tbody tr:not([hidden]) th').allTextContents();
  expect(await shown()).toHaveLength(4);
  const field = page.getByLabel('Part of a name');
  await field.fill('A');
  expect((await shown()).map((name) => name.slice(0, 7))).toEqual([
    'auction',
    'kask.ee',
    'tamm.ee',
  ]);
  expect(await page.locator('#matching').textContent()).toBe('3 of 4');
  await field.fill('Ž');
  expect(await shown()).toEqual(['žürii.ee']);
  await field.fill('');
  expect(await shown()).toHaveLength(4);
  expect(await page.locator('#matching').textContent()).toBe('');
});
