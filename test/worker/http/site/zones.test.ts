import { beforeAll, expect, it } from 'vitest';
import { addRetainedDomain } from '../../../support/fixtures.ts';
import { shareEmptyWorker } from '../../../support/worker.ts';
import { linkOf, textOf } from './document.ts';

const worker = shareEmptyWorker({ ZONES: 'ee, com.ee' });

beforeAll(async () => {
  await addRetainedDomain(worker.env, { name: 'shop.listed.ee', status: 'blocked' });
  await worker.scheduled('31 * * * *');
});

async function ask(language: string, name: string) {
  const response = await worker.fetch(`/${language}/?name=${encodeURIComponent(name)}`);
  const [answer = ''] = /<section class="answer .*?<\/section>/s.exec(await response.text()) ?? [];
  return { status: response.status, answer, text: textOf(answer) };
}

it('with zones, the answer about a name says of a name of another zone that it is not a name of this registry', async () => {
  const [en, et] = [await ask('en', 'free.com'), await ask('et', 'free.com')];
  expect([en.status, et.status]).toEqual([200, 200]);
  expect(en.text).toContain('free.com is not a name of this registry');
  expect(en.text).toContain('only names that end in .ee or .com.ee');
  expect(et.text).toContain('free.com ei ole selle registri nimi');
  expect(et.text).toContain('ainult nimed lõpuga .ee või .com.ee');
});

it.each([
  ['shop.tallinn.ee', 'tallinn.ee'],
  ['pood.õun.com.ee', 'õun.com.ee'],
])('with zones, the answer about a name leads from %s to %s', async (name, above) => {
  const [en, et] = [await ask('en', name), await ask('et', name)];
  expect(en.text).toContain(`${name} belongs to ${above}`);
  expect(et.text).toContain(`${name} kuulub nime ${above} alla`);
  const href = `?name=${encodeURIComponent(above)}`;
  expect(linkOf(en.answer, `Check ${above}`)).toBe(`/en/${href}`);
  expect(linkOf(et.answer, `Kontrolli nime ${above}`)).toBe(`/et/${href}`);
});

it('with zones, the answer about a zone says that names are registered below it', async () => {
  const [en, et] = [await ask('en', 'com.ee'), await ask('et', 'com.ee')];
  expect(en.text).toContain('com.ee is a zone of this registry');
  expect(et.text).toContain('com.ee on selle registri tsoon');
  expect(en.text).not.toContain('Ask a registrar');
});

it('with zones, the answer about a name says what the lists say, whatever the name', async () => {
  expect((await ask('en', 'shop.listed.ee')).text).toContain('shop.listed.ee is blocked');
});

it('with zones, the answer about a name is about the lists for a name of the registry', async () => {
  expect((await ask('en', 'tallinn.ee')).text).toContain('tallinn.ee is on none of the lists');
});

it.each([
  ['reserved', 'reserved.ee'],
  ['https://Reserved.ee/?a=b', 'reserved.ee'],
  ['https://www.reserved.ee/', 'reserved.ee'],
  ['WWW.reserved.ee', 'reserved.ee'],
  ['reserved.ee/path', 'reserved.ee'],
  ['reserved.ee:443', 'reserved.ee'],
  ['//reserved.ee\\\\path', 'reserved.ee'],
  ['ftp://ÕUN.ee/', 'õun.ee'],
  ['mari@reserved.ee', 'reserved.ee'],
  ['mailto:mari@reserved.ee', 'reserved.ee'],
  ['www.ee', 'www.ee'],
])('with zones, the answer about a name understands %s as %s', async (given, name) => {
  const html = await (await worker.fetch(`/en/?name=${encodeURIComponent(given)}`)).text();
  expect(html).toContain(`<title>${name} `);
});
