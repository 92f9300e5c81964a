import { accessSync, constants, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';

/** The window and the settings of a visitor. */
export interface View {
  colorScheme?: 'light' | 'dark';
  /** In CSS pixels; 1280 unless given. */
  width?: number;
  /** A visitor without JavaScript. */
  isScriptOff?: boolean;
  /** The browser's Accept-Language; English unless given. */
  locale?: string;
}

export interface Visit {
  page: Page;
  /**
   * The problems so far, in plain words: errors on the console (violations of the Content Security Policy among
   * them), exceptions, requests that failed, and requests to any other host.
   */
  problems: string[];
}

/** The first has no windows of its own: a page takes half the processor's time. */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** Debian's Chromium runs as root in CI, without a sandbox, and finds no host but this one. */
const flags = [
  // A page takes a quarter less of the processor's time, and the cores are busy with other files.
  '--js-flags=--single-threaded',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
];

/** The file that CHROMIUM_PATH names, or the first Chromium on the PATH. */
function findChromium(): string | undefined {
  if (process.env.CHROMIUM_PATH) return process.env.CHROMIUM_PATH;
  const directories = (process.env.PATH ?? '').split(path.delimiter);
  const files = directories.flatMap((directory) => names.map((name) => path.join(directory, name)));
  return files.find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Says why the tests of pages are skipped; undefined if there is a Chromium. */
export function whyNoBrowser(): string | undefined {
  if (findChromium()) return undefined;
  return `there is no Chromium: CHROMIUM_PATH is not set, and the PATH has none of ${names.join(', ')}`;
}

/**
 * A headless Chromium for the tests of one file. Where there is none, they are skipped, and the run says why. Each visit
 * has cookies and a cache of its own, and ends with its test.
 */
export function startBrowser() {
  let browser: Browser | undefined;
  const contexts: BrowserContext[] = [];
  beforeAll(async () => {
    if (whyNoBrowser()) return;
    browser = await chromium.launch({ executablePath: findChromium()!, args: flags });
  });
  beforeEach(({ skip }) => {
    const reason = whyNoBrowser();
    if (reason) skip(reason);
  });
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
  });
  afterAll(() => browser?.close());

  return {
    /** Opens a page, and returns when it and what it asks for have been loaded. */
    async open(url: URL, view: View = {}): Promise<Visit> {
      const context = await browser!.newContext({
        colorScheme: view.colorScheme ?? 'light',
        viewport: { width: view.width ?? 1280, height: 900 },
        javaScriptEnabled: !view.isScriptOff,
        locale: view.locale ?? 'en',
        reducedMotion: 'reduce',
      });
      contexts.push(context);
      const page = await context.newPage();
      const problems = noteProblems(page, url.origin);
      await page.goto(url.href);
      return { page, problems };
    },
  };
}

function noteProblems(page: Page, origin: string): string[] {
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`exception: ${error.message}`));
  page.on('requestfailed', (request) =>
    problems.push(`request failed: ${request.url()} ${request.failure()?.errorText}`),
  );
  page.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url());
    if (protocol !== 'data:' && protocol !== 'blob:' && asked !== origin) {
      problems.push(`another host: ${request.url()}`);
    }
  });
  return problems;
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * The violations that axe-core finds on the page as it stands, or in the element that a selector names, one line for each
 * element: of all rules, or of those about colours, which alone may differ between light and dark.
 */
export async function findViolations(
  page: Page,
  rules?: 'colours',
  within = 'html',
): Promise<string[]> {
  const runOnly = rules && ['color-contrast', 'link-in-text-block'];
  // The debugger's protocol is not subject to the page's Content Security Policy, which stays as it is.
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Runtime.evaluate', { expression: axe });
  const { result, exceptionDetails } = await devTools.send('Runtime.evaluate', {
    // Without the style sheets that it would fetch again, and parse in a way that the policy forbids.
    expression: `axe.run(${JSON.stringify(within)}, ${JSON.stringify({ preload: false, runOnly })}).then(({ violations }) => violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, any }) => [id, help, target.join(' '), any[0]?.message ?? ''].join(' | '))))`,
    awaitPromise: true,
    returnByValue: true,
  });
  await devTools.detach();
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description);
  return result.value;
}
