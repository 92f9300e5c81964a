import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadDemoData } from '../../../../src/dev/demo/load.ts';
import { digestSecret } from '../../../../src/party/credential/holder.ts';
import { findViolations, startBrowser, type View } from '../../../support/browser.ts';
import { answerOf } from '../../../support/client.ts';
import { addRegistrar } from '../../../support/fixtures.ts';
import { startWorker } from '../../../support/worker.ts';

const worker = startWorker();
const browser = startBrowser();

beforeAll(async () => {
  await loadDemoData(worker.env);
});

/** A dark page differs in its colours alone, and a narrow one shows nothing that a wide one does not. */
const views: View[] = [
  { colorScheme: 'light', width: 390 },
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 1280 },
];

async function visit(view?: View, path = 'registrar-contacts') {
  const { page, problems } = await browser.open(new URL(`/docs/${path}`, worker.url), view);
  await page.waitForSelector('.opblock');
  return { page, problems };
}

const pages = '#index > ul > li > a';

/** The element of a call, opened by its address on the page of its interface. */
async function open(page: Page, tag: string, operationId: string) {
  const address = await page.locator(pages).getByText(tag, { exact: true }).getAttribute('href');
  const fragment = `#/${encodeURIComponent(tag)}/${operationId}`;
  // Whoever leaves a page ends what it still loads.
  await page.waitForLoadState('networkidle');
  await page.goto(new URL(address + fragment, worker.url).href);
  const call = page.locator(`.opblock.is-open[id$="-${operationId}"]`);
  await call.waitFor();
  return call;
}

/** Sends the example of a call, and returns the status of the answer and its body. */
async function tryOut(
  page: Page,
  [tag, operationId]: readonly [string, string],
  parameters: Record<string, string> = {},
) {
  const call = await open(page, tag, operationId);
  await call.getByRole('button', { name: 'Try it out' }).click();
  for (const [name, value] of Object.entries(parameters)) {
    await call.getByLabel(name, { exact: true }).fill(value);
  }
  await call.getByRole('button', { name: 'Execute' }).click();
  const answer = call.locator('.live-responses-table tbody tr').first();
  const status = await answer.locator('.response-col_status').textContent();
  return { status, body: await answer.locator('.highlight-code').first().textContent() };
}

/** Fills in the login of a scheme: its fields by their labels. */
async function authorize(page: Page, scheme: string, fields: Record<string, string>) {
  await page.getByRole('button', { name: 'Authorize' }).first().click();
  const login = page.locator('.auth-container').filter({ hasText: scheme });
  for (const [label, value] of Object.entries(fields)) await login.getByLabel(label).fill(value);
  await login.getByRole('button', { name: 'Authorize' }).click();
  await page.getByRole('button', { name: 'Close' }).first().click();
}

it('the reference shows every call of the document, interface by interface, without an error or a request to another host', async () => {
  const { body } = await answerOf(fetch(new URL('/openapi.json', worker.url)));
  const operations = [body.paths, body.webhooks].flatMap((paths) =>
    Object.entries<Record<string, { summary: string }>>(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { summary }]) => ({
        call: `${method.toUpperCase()} ${path}`,
        summary,
      })),
    ),
  );
  const tags: string[] = body.tags.map(({ name }: { name: string }) => name);

  const { page, problems } = await visit();
  const shown: string[] = [];
  const indexed: string[] = [];
  for (const tag of tags) {
    await page.locator(pages).getByText(tag, { exact: true }).click();
    await page.locator(`[data-tag="${tag}"]`).waitFor();
    expect(await page.locator(pages).allTextContents()).toEqual(['Overview', ...tags]);
    indexed.push(...(await page.locator('#index ul ul a').allTextContents()));
    const methods = await page.locator('.opblock-summary-method').allTextContents();
    const paths = await page.locator('[data-path]').all();
    for (const [index, path] of paths.entries()) {
      shown.push(`${methods[index]} ${await path.getAttribute('data-path')}`);
    }
  }

  // Browsers send OPTIONS by themselves.
  const wanted = operations.filter(({ call }) => !call.startsWith('OPTIONS '));
  expect(shown.toSorted()).toEqual(wanted.map(({ call }) => call).toSorted());
  expect(indexed.toSorted()).toEqual(wanted.map(({ summary }) => summary).toSorted());
  expect(problems).toEqual([]);
});

it('the reference begins with what all interfaces share, and leads to each of them', async () => {
  const { page, problems } = await browser.open(new URL('/docs/', worker.url));
  await page.getByText('A trailing slash makes no difference').waitFor();
  const links = page.locator('main li a[href^="/docs/"]');
  const names = await links.allTextContents();
  expect(names).toEqual((await page.locator(pages).allTextContents()).slice(1));
  expect(await page.locator('.opblock').count()).toBe(0);
  const lists = await links.getByText('Public lists', { exact: true }).getAttribute('href');
  await page.goto(new URL(lists!, worker.url).href);
  await page.getByText('Poll a list at most once a minute').waitFor();
  expect(problems).toEqual([]);
});

it('the index leads to a call by keyboard', async () => {
  const { page } = await visit();
  await page.locator('#index ul ul a', { hasText: 'Create a contact' }).focus();
  await page.keyboard.press('Enter');

  await page.locator('.opblock.is-open[id$="-createContact"] button:focus').waitFor();
});

it('the reference opens the call that the address names, also if it names the first page', async () => {
  const { page } = await visit({}, '#/Registrant/createToken');

  const shown = page.locator('.opblock.is-open [data-path]');
  expect(await shown.getAttribute('data-path')).toBe('/api/v1/registrant/auth/eid');
  expect(new URL(page.url()).pathname).toBe('/docs/registrant');
});

it('the reference tries out a call without a login, with a name and a secret, and with a token', async () => {
  const { page, problems } = await visit({}, 'public-lists');
  const uuid = 'a0000000-0000-4000-8000-000000000003';
  const list = await tryOut(page, ['Public lists', 'listAuctionsPublicly']);
  const report = await tryOut(page, ['Auctions', 'reportAuction'], { uuid });
  const refused = await tryOut(page, ['Registrar: contacts', 'listContacts']);
  await authorize(page, 'Basic', { Username: 'alpha', Password: 'alpha-demo-secret' });
  const code = { code: 'ALPHA:TAMM' };
  const contact = await tryOut(page, ['Registrar: contacts', 'getContact'], code);
  const token = await tryOut(page, ['Registrant', 'createToken']);
  const [, value = ''] = /"access_token": "([^"]+)"/.exec(token.body ?? '') ?? [];
  await authorize(page, 'bearer (http', { Value: value });
  const own = await tryOut(page, ['Registrant', 'listContactsOfPerson']);

  expect(refused.status).toMatch(/^401/);
  const answers = [list, report, refused, contact, own];
  expect(answers.map(({ body }) => body)).toEqual([
    expect.stringContaining('"domain_name": "õunaaed.ee"'),
    expect.stringContaining(uuid),
    expect.stringContaining('"message": "Invalid authorization information"'),
    expect.stringContaining('"code": "ALPHA:TAMM"'),
    expect.stringContaining('"code": "BETA:TAMM"'),
  ]);
  expect(answers.map(({ status }) => status)).toEqual(['200', '200', refused.status, '200', '200']);
  expect(problems).toEqual([expect.stringContaining('401 (Unauthorized)')]);
});

it.each(['ä', '€'])('the reference sends a name and a secret with %s in UTF-8', async (text) => {
  const [username, secret] = [`user-${text}`, `secret-${text}`];
  await addRegistrar(worker.env, {}, { username, secretDigest: await digestSecret(secret) });
  const { page } = await visit();
  await authorize(page, 'Basic', { Username: username, Password: secret });

  const { status, body } = await tryOut(page, ['Registrar: contacts', 'listContacts']);

  expect(status).toBe('200');
  expect(body).toContain('"total_number_of_records": 0');
  await page.getByRole('button', { name: 'Authorize' }).first().click();
  expect(await page.locator('.auth-container').first().textContent()).toContain(username);
});

it('the reference closes the login with the Escape key', async () => {
  const { page } = await visit({}, 'registrar-account');
  await page.getByRole('button', { name: 'Authorize' }).click();
  const login = page.getByRole('dialog', { name: 'Login' });
  await login.waitFor();

  await page.keyboard.press('Escape');

  await login.waitFor({ state: 'detached' });
});

it('the reference says without JavaScript where the document is', async () => {
  const url = new URL('/docs/', worker.url);
  const { page, problems } = await browser.open(url, { isScriptOff: true });

  expect(await page.locator('noscript').textContent()).toContain('OpenAPI document');
  expect(problems).toEqual([]);
});

it.each([390, 1280])(
  'keeps what is in a window of %d pixels where it is while the reference loads',
  async (width) => {
    const { page } = await visit({ width });
    const shift = await page.evaluate(`new Promise((resolve) => {
      const sum = (list) => list.getEntries().reduce((all, { value }) => all + value, 0);
      const observer = new PerformanceObserver((list) => resolve(sum(list)));
      observer.observe({ type: 'layout-shift', buffered: true });
      setTimeout(resolve, 500, 0);
    })`);

    expect(shift).toBeLessThan(0.05);
  },
);

const openCalls = '.opblock.is-open';

describe.each(views)('in $colorScheme, $width pixels wide', (view) => {
  const rules = view.colorScheme === 'dark' ? 'colours' : undefined;
  it('has a guide that axe-core does not object to, and that fits the window', async () => {
    const { page, problems } = await browser.open(new URL('/docs/guide', worker.url), view);

    expect(await findViolations(page, rules)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(view.width);
    expect(problems).toEqual([]);
  });

  it('has nothing that axe-core objects to: calls, schemas and the login', async () => {
    const { page, problems } = await visit(view);
    await page.getByRole('button', { name: 'Schemas' }).click();
    await page.getByRole('button', { name: 'Expand all' }).first().click();
    expect(await findViolations(page, rules)).toEqual([]);

    await page.getByRole('button', { name: 'Authorize' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await findViolations(page, rules)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('has nothing that axe-core objects to when calls are tried out, and fits the window', async () => {
    const { page } = await visit(view);
    await authorize(page, 'Basic', { Username: 'alpha', Password: 'alpha-demo-secret' });
    await tryOut(page, ['Registrar: contacts', 'listContacts']);
    await open(page, 'Registrar: contacts', 'createContact');
    expect(await findViolations(page, rules, openCalls)).toEqual([]);

    const form = await open(page, 'Registrant', 'updateContactOfPerson');
    await form.getByText('Headers', { exact: true }).first().click();
    await form.getByRole('tab', { name: 'Schema' }).first().click();

    expect(await findViolations(page, rules, openCalls)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(view.width);
  });
});
