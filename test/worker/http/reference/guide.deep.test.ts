import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { guidePage } from '../../../../src/tool/guide.ts';
import { shareWorker } from '../../../support/worker.ts';
import { linkOf, textOf } from '../site/document.ts';

const worker = shareWorker();
const markdown = readFileSync('src/worker/http/README.md', 'utf8');
let html: string;

beforeAll(async () => {
  html = await (await fetch(new URL('/docs/guide', worker.url))).text();
});

const hrefsOf = (page: string) => [...page.matchAll(/ href="([^"]*)"/g)].map(([, href]) => href!);

it('the guide has the document about the interfaces, heading by heading', () => {
  const prose = markdown.replace(/^```.*?^```/gms, '');
  const headings = [...prose.matchAll(/^#+ (.*)$/gm)].map(([, text]) => text);
  const shown = [...html.matchAll(/<h\d [^>]*>(.*?)<\/h\d>/g)].map(([, text]) => textOf(text!));

  expect(headings.length).toBeGreaterThan(15);
  expect(shown).toEqual(headings);
});

it('the guide has only links that lead somewhere', async () => {
  const hrefs = [...new Set(hrefsOf(html))];
  const anchors = new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => `#${id}`));

  expect(hrefs.filter((href) => href.startsWith('#') && !anchors.has(href))).toEqual([]);
  expect(hrefs.filter((href) => !/^(#|\/|https:\/\/)/.test(href))).toEqual([]);
  for (const href of hrefs.filter((each) => each.startsWith('/'))) {
    expect([href, (await fetch(new URL(href, worker.url))).status]).toEqual([href, 200]);
  }
});

it('the guide has no script and no style of its own', () => {
  expect(html).not.toMatch(/<script|<style| style=| on[a-z]+=/);
});

it('the guide, the reference and the page link to each other', async () => {
  const reference = await (await fetch(new URL('/docs/', worker.url))).text();
  const page = await (await worker.fetch('/en/')).text();

  expect(linkOf(html, 'API reference')).toBe('/docs/');
  expect([reference, page].map((each) => linkOf(each, 'Guide'))).toEqual([
    '/docs/guide',
    '/docs/guide',
  ]);
});

it('the guide makes text of a link to a file that is not served', () => {
  const text = '[file](../README.md), [`one`](x.ts), [part](#part), <http://localhost:8787/docs/>';

  expect(guidePage('<main><!-- guide --></main>', `# A *part*: one\n\n${text}`)).toBe(
    '<main><h1 id="a-part-one">A <em>part</em>: one</h1>\n<p>file, <code>one</code>, ' +
      '<a href="#part">part</a>, <a href="/docs/">/docs/</a></p>\n</main>',
  );
});
