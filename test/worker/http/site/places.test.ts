import { beforeAll, expect, it } from 'vitest';
import { addAuction, addDispute, addRetainedDomain } from '../../../support/fixtures.ts';
import { answerHere, shareEmptyWorker } from '../../../support/worker.ts';
import { linkOf, textOf } from './document.ts';

const auctionCentre = 'https://auction.example.ee/?a=1&b="2"';
const registrars = 'https://example.ee/registrars';
const disputes = 'https://example.ee/disputes';
const worker = shareEmptyWorker({
  DISPUTE_POLICY_URL: disputes,
  AUCTION_CENTRE_URL: auctionCentre,
  REGISTRARS_URL: registrars,
  LOOKUP_URL: 'https://whois.example.ee/domain/{name}?q={name}',
  ZONES: 'ee',
});
const unset = {
  DISPUTE_POLICY_URL: '',
  SUPPORT_URL: '',
  AUCTION_CENTRE_URL: '',
  REGISTRARS_URL: 'http://example.ee/',
  LOOKUP_URL: 'https://{name}.example.ee/',
};

beforeAll(async () => {
  await addAuction(worker.env, { name: 'sale.ee' });
  await addRetainedDomain(worker.env, { name: 'kept.ee', status: 'reserved' });
  await addDispute(worker.env, { name: 'argued.ee' });
  await addAuction(worker.env, { name: 'argued.ee' });
  await worker.scheduled('31 * * * *');
});

it('a page names the public address, whichever host is asked', async () => {
  const PUBLIC_URL = 'https://registry.example.ee';
  const pageAt = async (settings: object) =>
    (await answerHere('/en/?name=sale.ee', {}, { ...worker.env, ...settings })).text();
  const html = await pageAt({ PUBLIC_URL });
  expect(html).not.toContain('http://localhost');
  expect(html).toContain(`<link rel="canonical" href="${PUBLIC_URL}/en/?name=sale.ee"/>`);
  expect(html).toContain(`hreflang="et" href="${PUBLIC_URL}/et/?name=sale.ee"/>`);
  expect(html).toContain(`hreflang="x-default" href="${PUBLIC_URL}/?name=sale.ee"/>`);
  expect(html).toContain(`curl --compressed &#39;${PUBLIC_URL}/repp/v1/retained_domains`);
  expect(await pageAt({})).toContain('<link rel="canonical" href="http://localhost/en/');
});

it.each([
  ['/en/?name=sale.ee', 'bid at the auction centre', 'https://auction.example.ee/?a=1&b=%222%22'],
  [
    '/et/?name=sale.ee',
    'tee pakkumine oksjonikeskkonnas',
    'https://auction.example.ee/?a=1&b=%222%22',
  ],
  ['/en/?name=argued.ee', 'bid at the auction centre', 'https://auction.example.ee/?a=1&b=%222%22'],
  ['/en/?name=argued.ee', 'ask the registry who decides the dispute, and how', disputes],
  ['/et/?name=argued.ee', 'küsi registrilt, kes ja kuidas vaidluse lahendab', disputes],
  ['/en/?name=none.ee', 'Ask a registrar', registrars],
  ['/et/?name=none.ee', 'Küsi registripidajalt', registrars],
])(
  'the answer leads on to where a name can be had, if that is set: %s',
  async (path, words, href) => {
    const html = await (await worker.fetch(path)).text();
    expect(linkOf(html, words)).toBe(href);
    const plain = await (await answerHere(path, {}, { ...worker.env, ...unset })).text();
    expect(linkOf(plain, words)).toBeUndefined();
    expect(textOf(plain)).toContain(words);
    for (const text of [html, plain]) expect(textOf(text)).not.toMatch(/[[\]]/);
  },
);

it('the answer about a disputed name leads to whom callers ask, if there is no policy', async () => {
  const env = { ...worker.env, DISPUTE_POLICY_URL: '', SUPPORT_URL: 'help@example.ee' };
  const html = await (await answerHere('/en/?name=argued.ee', {}, env)).text();
  expect(linkOf(html, 'ask the registry who decides the dispute, and how')).toBe(
    'mailto:help@example.ee',
  );
});

it('the answer about a name that nobody can get leads nowhere', async () => {
  const html = await (await worker.fetch('/en/?name=kept.ee')).text();
  expect(html).toContain('only with the registry’s consent');
  expect(html).not.toContain('https://auction.example.ee/');
  expect(html).not.toContain(registrars);
});

it.each([
  ['kept.ee', 'kept.ee'],
  ['Õun.ee', 'xn--un-bka.ee'],
])('the answer about %s leads to the place that knows who has it', async (name, asked) => {
  for (const [language, words] of [
    ['en', 'Look up whether it is registered'],
    ['et', 'Vaata, kas nimi on registreeritud'],
  ] as const) {
    const path = `/${language}/?name=${encodeURIComponent(name)}`;
    const html = await (await worker.fetch(path)).text();
    expect(linkOf(html, words)).toBe(`https://whois.example.ee/domain/${asked}?q=${asked}`);
    const plain = await (await answerHere(path, {}, { ...worker.env, ...unset })).text();
    expect(plain).not.toContain(words);
  }
});

it('the answer about a name of another registry leads to no place that would know it', async () => {
  for (const name of ['name.fi', 'www.none.ee']) {
    const html = await (await worker.fetch(`/en/?name=a.${name}`)).text();
    expect(html).not.toContain('whois.example.ee');
  }
});
