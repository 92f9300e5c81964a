import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findViolations, startBrowser } from './support/browser.ts';

const browser = startBrowser();

const sound = '<!doctype html><html lang="en"><title>Page</title><main><h1>Page</h1></main>';

const pages: Record<string, string> = {
  '/sound': sound,
  // A browser with windows asks for it by itself.
  '/favicon.ico': 'icon',
  '/inline-style': `${sound}<p style="color: red">Red</p>`,
  '/inline-script': `${sound}<script>document.title = 'Changed'</script>`,
  '/missing': `${sound}<img alt="" src="/none.png">`,
  '/foreign': `${sound}<img alt="" src="http://example.com/image.png">`,
  '/exception': `${sound}<script src="/throw.js"></script>`,
  '/throw.js': 'throw new Error("thrown")',
  '/nameless': `${sound}<input>`,
  '/script': `${sound}<p>without</p><script src="/write.js"></script>`,
  '/write.js': `const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
    document.querySelector('p').textContent = (isDark ? 'dark ' : 'light ') + innerWidth;`,
};

const policy = "default-src 'none'; script-src 'self'; img-src 'self' http://example.com";

let server: Server;
let url: URL;

beforeAll(async () => {
  server = createServer(({ url: path }, response) => {
    const body = pages[path!];
    const type = path?.endsWith('.js') ? 'text/javascript' : 'text/html';
    response.writeHead(body ? 200 : 404, {
      'Content-Type': type,
      'Content-Security-Policy': policy,
    });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

afterAll(() => server.close());

it('finds nothing wrong with a sound page', async () => {
  const { page, problems } = await browser.open(new URL('/sound', url));

  expect(await findViolations(page)).toEqual([]);
  expect(problems).toEqual([]);
});

it.each([
  ['/inline-style', /console: .*style.*violates.*Content Security Policy/],
  ['/inline-script', /console: .*script.*violates.*Content Security Policy/],
  ['/missing', /console: .*404/],
  ['/foreign', /another host: http:\/\/example\.com\/image\.png/],
  ['/foreign', /request failed: http:\/\/example\.com\/image\.png net::ERR_NAME_NOT_RESOLVED/],
  ['/exception', /exception: thrown/],
])('notices what is wrong with %s', async (path, problem) => {
  const { problems } = await browser.open(new URL(path, url));

  expect(problems).toContainEqual(expect.stringMatching(problem));
});

it('runs axe-core under a policy that forbids inline scripts', async () => {
  const { page } = await browser.open(new URL('/nameless', url));

  expect(await findViolations(page)).toContainEqual(expect.stringMatching(/^label .*\| input \|/));
});

it.each([
  [{ colorScheme: 'dark', width: 390 } as const, 'dark 390'],
  [{}, 'light 1280'],
  [{ isScriptOff: true }, 'without'],
])('looks at a page as the visitor does: %o', async (view, text) => {
  const { page } = await browser.open(new URL('/script', url), view);

  expect(await page.textContent('p')).toBe(text);
});
