import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findViolations, startBrowser } from '../support/browser.ts';
import { startServer } from './server.ts';

const directory = mkdtempSync(join(tmpdir(), 'start-desk-'));
const browser = startBrowser();
let server: Awaited<ReturnType<typeof startServer>>;
let desk: string;

beforeAll(async () => {
  server = await startServer('--desk', '--persist-to', directory);
  desk = /Staff's desk +(\S+)/.exec(server.printed())![1]!;
}, 120_000);

afterAll(async () => {
  await server.stop();
  rmSync(directory, { recursive: true });
}, 60_000);

test('npm start -- --desk serves the desk on the same data, to whom its file names', async () => {
  const { page, problems } = await browser.open(new URL(desk));
  await page.getByRole('searchbox').waitFor();
  problems.length = 0;
  expect(await page.locator('header').textContent()).toContain(
    'local registry: staff@registry.example, whose looks are recorded',
  );
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    for (const [text, answer] of [
      ['38001085718', 'Jaan Tamm'],
      ['ALPHA:TAMM', 'Who looked'],
      ['Alpha Domeenid', 'can log in for it'],
    ]) {
      await page.getByRole('searchbox').fill(text!);
      await page.getByRole('button', { name: 'Find' }).click();
      await page.getByText(answer!).first().waitFor();
      expect(await findViolations(page)).toEqual([]);
      const overflow = 'document.documentElement.scrollWidth - innerWidth';
      expect(await page.evaluate(overflow)).toBe(0);
    }
  }
  await page.goto(new URL('/contact/ALPHA:TAMM', page.url()).href);
  expect(await page.locator('main').textContent()).toContain('staff@registry.example');
  await page.getByRole('heading', { name: 'You can ask the operator' }).waitFor();
  expect(await page.locator('code').count()).toBe(0);
  expect(problems).toEqual([]);
});

test('the desk of npm start answers nobody without its address', async () => {
  const { origin } = new URL(desk);
  for (const path of ['/', '/find?q=tamm', '/cdn-cgi/explorer', '/?token=0']) {
    expect((await fetch(origin + path)).status).toBe(403);
  }
});
