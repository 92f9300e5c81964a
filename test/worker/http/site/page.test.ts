import { beforeAll, describe, expect, it } from 'vitest';
import { app } from '../../../../src/worker/http/app.ts';
import { addAuction, addRetainedDomain } from '../../../support/fixtures.ts';
import { onTheWire } from '../../../support/wire.ts';
import { startWorker } from '../../../support/worker.ts';
import { documentProblem, linkOf, textOf } from './document.ts';

const worker = startWorker();

beforeAll(async () => {
  await addRetainedDomain(worker.env, { name: 'reserved.ee' });
  await addAuction(worker.env, { name: 'auction.ee' });
  await worker.scheduled('1 0 * * *');
});

const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

it.each([
  [undefined, '/et/'],
  ['', '/et/'],
  ['et-EE,et;q=0.9,en;q=0.8', '/et/'],
  ['en-GB,en;q=0.9,et;q=0.1', '/en/'],
  ['EN-us', '/en/'],
  ['fr,en;q=0.5,et;q=0.5', '/en/'],
  ['et,en', '/et/'],
  ['ru,et;q=0.2', '/et/'],
  ['fr', '/en/'],
  ['*', '/en/'],
  ['en;q=0', '/en/'],
  ['et;q=0', '/en/'],
  [',,;q=,en;q=x', '/en/'],
  ['de;q=0.7,en-US;q=0.3,en;q=0.6,et;q=0.5', '/en/'],
])('the root leads by Accept-Language: %s to %s', async (accepted, location) => {
  const headers: Record<string, string> =
    accepted === undefined ? {} : { 'Accept-Language': accepted };
  const answer = await onTheWire(worker.url, '/', { headers });
  expect([answer.status, answer.headers.location]).toEqual([302, location]);
  expect(answer.headers.vary).toBe('Accept-Language');
  expect(answer.headers['cache-control']).toBe('private, no-store');
});

it('the root keeps the query', async () => {
  const answer = await onTheWire(worker.url, '/?name=%C3%B5.ee&x=1%0d%0aa');
  expect(answer.headers.location).toBe('/et/?name=%C3%B5.ee&x=1%0d%0aa');
});

it.each([
  ['/et/', 'et', 'Domeeninime kontroll'],
  ['/en', 'en', 'Check a domain name'],
])(
  'the page %s is in the language that its address names, whatever is preferred',
  async (path, language, heading) => {
    const headers = { 'Accept-Language': 'fr,en;q=0.5,et;q=0.4' };
    const response = await worker.fetch(path, { headers });
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=UTF-8');
    expect(response.headers.get('Content-Language')).toBe(language);
    const html = await response.text();
    expect(documentProblem(html)).toBeUndefined();
    expect(html).toContain(`<html lang="${language}">`);
    expect(html).toContain(`<h1 id="ask-heading">${heading}</h1>`);
  },
);

it('the page links to itself in the other language, with the same query', async () => {
  const query = '?name=reserved.ee&auctions=a&sort=-length&starts=r';
  const html = await (await worker.fetch(`/en/${query}`)).text();
  expect(linkOf(html, 'Eesti keeles')).toBe(`/et/${query}`);
  const links = [...html.matchAll(/<link rel="(?:canonical|alternate)".*?>/g)].join('\n');
  const address = `${worker.url.origin.replace('127.0.0.1', '[^"]*').replace(/\d+$/, '\\d+')}`;
  for (const [hreflang, path] of [
    ['et', '/et/'],
    ['en', '/en/'],
    ['x-default', '/'],
  ]) {
    const href = (path + query).replaceAll('&', '&amp;').replaceAll('?', '\\?');
    expect(links).toMatch(new RegExp(`hreflang="${hreflang}" href="${address}${href}"`));
  }
  expect(links).toMatch(/<link rel="canonical" href="[^"]*\/en\/\?name=reserved.ee/);
});

it('the page answers HEAD as GET, without a body', async () => {
  const get = await worker.fetch('/et/');
  const head = await onTheWire(worker.url, '/et/', { method: 'HEAD' });
  expect([head.status, head.body]).toEqual([200, '']);
  expect(head.headers.etag).toBe(get.headers.get('ETag'));
  expect(head.headers['content-security-policy']).toBe(policy);
});

it('the page names the parameters that it ignores', async () => {
  const response = await worker.fetch('/en/?name=a.ee&type=blocked&sort=name');
  expect(response.headers.get('Ignored-Parameters')).toBe('type');
  const redirect = await onTheWire(worker.url, '/?starts=a&x=1');
  expect(redirect.headers['ignored-parameters']).toBe('x');
});

it.each([
  'sort=x&page=-1',
  'page=1e9&sort=%00',
  'page=9999999999999999999999',
  'auctions=%ED%A0%80&after=%C0%AF&starts=%',
  `starts=${'%C3%B5'.repeat(2_000)}`,
  'starts="><script>alert(1)</script>&after=%27%20onload=alert(1)',
  'auctions="><script>alert(1)</script>&sort=-length',
  '__proto__=1&constructor=2&name[]=3',
])('the page takes whatever the query contains (case %#)', async (query) => {
  const response = await worker.fetch(`/en/?${query}`);
  expect(response.status).toBe(200);
  expect(documentProblem(await response.text())).toBeUndefined();
});

it.each(['/et/', '/en/?name=reserved.ee'])(
  'a page is cached as the lists are, and purged with them: %s',
  async (path) => {
    const fresh = await worker.fetch(path);
    const etag = fresh.headers.get('ETag')!;
    const known = await worker.fetch(path, { headers: { 'If-None-Match': etag } });
    expect([fresh.status, known.status]).toEqual([200, 304]);
    expect(await known.text()).toBe('');
    for (const { headers } of [fresh, known]) {
      expect(headers.get('ETag')).toMatch(/^W\/"[0-9a-f]{32}"$/);
      expect(headers.get('Cache-Control')).toBe('public, max-age=15, stale-if-error=86400');
      expect(headers.get('Vary')).toBe('Accept-Encoding');
      expect(headers.get('Cache-Tag')).toBe(
        'list-auctions,list-all,list-reserved,list-blocked,list-disputed',
      );
    }
    expect(known.headers.get('Content-Security-Policy')).toBeNull();
  },
);

it('a cached page keeps its ETag until what it shows changes', async () => {
  const etagOf = async (path: string) => (await worker.fetch(path)).headers.get('ETag');
  const [page, answer] = [await etagOf('/en/'), await etagOf('/en/?name=new.ee')];
  expect(await etagOf('/en/')).toBe(page);
  expect(answer).not.toBe(page);
  expect(await etagOf('/et/')).not.toBe(page);
  await addAuction(worker.env, { name: 'new.ee' });
  await worker.scheduled('31 * * * *');
  expect(await etagOf('/en/')).not.toBe(page);
  expect(await etagOf('/en/?name=new.ee')).not.toBe(answer);
});

it.each(['/et/', '/en/?name=a', '/en/nothing'])(
  'the policy of a page lets nothing in that the host itself does not serve: %s',
  async (path) => {
    const { headers } = await worker.fetch(path);
    expect(headers.get('Content-Security-Policy')).toBe(policy);
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(headers.get('X-Frame-Options')).toBe('DENY');
    expect(headers.get('Referrer-Policy')).toBe('no-referrer');
  },
);

it('the policy of a page finds no inline style or script to forbid', async () => {
  const html = await (await worker.fetch('/en/?name=reserved.ee')).text();
  expect(html).not.toMatch(/ style=|<style| on[a-z]+=/);
});

describe('an error', () => {
  it.each([
    ['/et/olematu', 'et', 'Sellist lehte ei ole'],
    ['/en/nothing/here/', 'en', 'There is no such page'],
    ['/en/%3Cscript%3E', 'en', 'There is no such page'],
    ['/en/%E0%A4%A', 'en', 'There is no such page'],
  ])('an error is a page in the language of its path: %s', async (path, language, heading) => {
    const answer = await onTheWire(worker.url, path);
    expect(answer.status).toBe(404);
    expect(answer.headers['content-type']).toBe('text/html; charset=UTF-8');
    expect(answer.headers['content-language']).toBe(language);
    expect(answer.headers['cache-control']).toBe('private, no-store');
    expect(documentProblem(answer.body)).toBeUndefined();
    expect(textOf(answer.body)).toContain(heading);
  });

  it.each(['/', '/et/', '/en'])('an error allows only reading %s', async (path) => {
    const answer = await onTheWire(worker.url, path, {
      method: 'POST',
      headers: { 'Accept-Language': 'en' },
    });
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD']);
    expect(documentProblem(answer.body)).toBeUndefined();
    expect(answer.body).toContain(path === '/et/' ? 'Pole lubatud' : 'Not allowed');
  });

  it('an error of the service tells the request id and nothing else', async () => {
    const env = {
      ...worker.env,
      get LISTS(): KVNamespace {
        throw new Error('secret of the service');
      },
    };
    const response = await app.request('/en/', {}, env);
    expect(response.status).toBe(500);
    const html = await response.text();
    expect(documentProblem(html)).toBeUndefined();
    expect(html).toContain(response.headers.get('X-Request-Id'));
    expect(html).not.toContain('secret');
  });
});
