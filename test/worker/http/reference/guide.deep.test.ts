import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { shareEmptyWorker } from '../../../support/worker.ts';
import { linkOf, textOf } from '../site/document.ts';

const worker = shareEmptyWorker();
const markdown = readFileSync('src/worker/http/README.md', 'utf8');
let html: string;
let changes: string;

beforeAll(async () => {
  const read = async (path: string) => (await fetch(new URL(path, worker.url))).text();
  [html, changes] = [await read('/docs/guide'), await read('/docs/changes')];
});

const hrefsOf = (page: string) => [...page.matchAll(/ href="([^"]*)"/g)].map(([, href]) => href!);

it('the guide has the document about the interfaces, heading by heading', () => {
  const prose = markdown.replace(/^```.*?^```/gms, '');
  const headings = [...prose.matchAll(/^#+ (.*)$/gm)].map(([, text]) => text);
  const shown = [...html.matchAll(/<h\d [^>]*>(.*?)<\/h\d>/g)].map(([, text]) => textOf(text!));

  expect(headings.length).toBeGreaterThan(15);
  expect(shown).toEqual(headings);
});

it.each(['the guide', 'what changed'])('%s has only links that lead somewhere', async (name) => {
  const page = name === 'the guide' ? html : changes;
  const hrefs = [...new Set(hrefsOf(page))];
  const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => `#${id}`);
  const anchors = new Set(ids);

  expect(anchors.size).toBe(ids.length);

  expect(hrefs.filter((href) => href.startsWith('#') && !anchors.has(href))).toEqual([]);
  expect(hrefs.filter((href) => !/^(#|\/|https:\/\/|mailto:)/.test(href))).toEqual([]);
  for (const href of hrefs.filter((each) => each.startsWith('/'))) {
    expect([href, (await fetch(new URL(href, worker.url))).status]).toEqual([href, 200]);
  }
});

it('the guide has no script and no style of its own', () => {
  expect(html + changes).not.toMatch(/<script|<style| style=| on[a-z]+=/);
});

it('the guide, what changed, the reference and the page link to each other', async () => {
  const reference = await (await fetch(new URL('/docs/', worker.url))).text();
  const page = await (await worker.fetch('/en/')).text();

  expect([html, changes].map((each) => linkOf(each, 'API reference'))).toEqual([
    '/docs/',
    '/docs/',
  ]);
  expect([html, reference].map((each) => linkOf(each, 'What changed'))).toEqual([
    '/docs/changes',
    '/docs/changes',
  ]);
  expect([reference, page].map((each) => linkOf(each, 'Guide'))).toEqual([
    '/docs/guide',
    '/docs/guide',
  ]);
});
