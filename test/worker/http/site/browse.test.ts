import { beforeAll, expect, it } from 'vitest';
import { addAuction, addRetainedDomain } from '../../../support/fixtures.ts';
import { shareEmptyWorker } from '../../../support/worker.ts';
import { documentProblem, linkOf, rowsOf, sectionOf, textOf } from './document.ts';

const worker = shareEmptyWorker();

const auctionNames = ['žürii.ee', 'õunaaed.ee', 'tamm.ee', 'auto.ee', 'zebra.ee', 'ürgmets.ee'];
const punycodes: Record<string, string> = {
  'žürii.ee': 'xn--rii-goa36d.ee',
  'õunaaed.ee': 'xn--unaaed-oxa.ee',
  'ürgmets.ee': 'xn--rgmets-2ya.ee',
};
/** Enough for three pages of names that begin with k. */
const manyNames = Array.from({ length: 120 }, (_, n) => `k${String(n).padStart(3, '0')}.ee`);

beforeAll(async () => {
  for (const name of auctionNames) {
    await addAuction(worker.env, { name, punycode: punycodes[name] ?? name });
  }
  for (const name of ['2mm.ee', 'aas.ee', 'õ.ee', ...manyNames]) {
    const punycode = name === 'õ.ee' ? 'xn--mda.ee' : name;
    await addRetainedDomain(worker.env, { name, punycode, status: 'reserved' });
  }
  await addRetainedDomain(worker.env, { name: 'k000.ee', status: 'blocked' });
  await worker.scheduled('31 * * * *');
});

async function section(path: string, id: string) {
  const html = sectionOf(await (await worker.fetch(path)).text(), id);
  return { html, text: textOf(html), rows: rowsOf(html) };
}

/** Punycode follows a name that has another form. */
const names = ({ rows }: { rows: string[][] }) => rows.map(([cell]) => cell?.split(' ')[0]);

it('the auctions in progress are counted, and shown with their length without the ending, and with their punycode where it differs', async () => {
  const { text, rows } = await section('/en/', 'auctions');
  expect(text).toContain('6 auctions');
  expect(text).toMatch(/Published \d{1,2} \w+ \d{4}, \d\d:\d\d\u00a0UTC/);
  expect(rows).toContainEqual(['žürii.ee xn--rii-goa36d.ee', '5']);
  expect(rows).toContainEqual(['tamm.ee', '4']);
});

it('the auctions in progress are sorted as the language has its alphabet', async () => {
  expect(names(await section('/et/', 'auctions'))).toEqual([
    'auto.ee',
    'zebra.ee',
    'žürii.ee',
    'tamm.ee',
    'õunaaed.ee',
    'ürgmets.ee',
  ]);
  expect(names(await section('/en/', 'auctions'))).toEqual([
    'auto.ee',
    'õunaaed.ee',
    'tamm.ee',
    'ürgmets.ee',
    'zebra.ee',
    'žürii.ee',
  ]);
});

it.each([
  ['-name', ['žürii.ee', 'zebra.ee', 'ürgmets.ee', 'tamm.ee', 'õunaaed.ee', 'auto.ee']],
  ['length', ['auto.ee', 'tamm.ee', 'zebra.ee', 'žürii.ee', 'õunaaed.ee', 'ürgmets.ee']],
  ['-length', ['õunaaed.ee', 'ürgmets.ee', 'zebra.ee', 'žürii.ee', 'auto.ee', 'tamm.ee']],
])('the auctions in progress are sorted by %s, and the heading says so', async (sort, sorted) => {
  const shown = await section(`/en/?sort=${sort}`, 'auctions');
  expect(names(shown)).toEqual(sorted);
  const order = sort.startsWith('-') ? 'descending' : 'ascending';
  expect(shown.html).toContain(`class="${sort.replace('-', '')}" aria-sort="${order}"`);
});

it('the auctions in progress are sorted by a link in each heading, which turns the order round', async () => {
  const { html } = await section('/en/?auctions=e', 'auctions');
  expect(linkOf(html, 'Length')).toBe('/en/?auctions=e&sort=length#auctions');
  const sorted = await section('/en/?sort=length', 'auctions');
  expect(linkOf(sorted.html, 'Length ↑')).toBe('/en/?sort=-length#auctions');
});

it.each([
  ['oun', ['õunaaed.ee']],
  ['ÜR', ['ürgmets.ee', 'žürii.ee']],
  ['u\u0308r', ['ürgmets.ee', 'žürii.ee']],
  ['xn--', ['õunaaed.ee', 'ürgmets.ee', 'žürii.ee']],
])(
  'the auctions in progress are filtered by what their names or punycode contain: %s',
  async (part, found) => {
    const shown = await section(`/en/?auctions=${encodeURIComponent(part)}`, 'auctions');
    expect(names(shown)).toEqual(found);
    expect(shown.text).toContain(`${found.length} of 6`);
    expect(linkOf(shown.html, 'Show all')).toBe('/en/#auctions');
  },
);

it('the auctions in progress come in pages where there are many, and none is lost or repeated', async () => {
  const more = Array.from({ length: 110 }, (_, n) => `paged${n}.ee`);
  for (const name of more) await addAuction(worker.env, { name });
  await worker.scheduled('31 * * * *');
  const seen: (string | undefined)[] = [];
  let pages = 0;
  for (let path: string | undefined = '/en/?auctions=paged'; path; pages++) {
    const shown = await section(path, 'auctions');
    seen.push(...names(shown));
    expect(shown.text).toContain(`Page ${pages + 1} of 3`);
    path = linkOf(shown.html, 'Next');
  }
  expect([pages, seen.toSorted()]).toEqual([3, more.toSorted()]);
  const beyond = await section('/en/?auctions=paged&page=99', 'auctions');
  expect(beyond.text).toContain('Page 3 of 3');
});

it('the retained names are counted by status', async () => {
  const { text } = await section('/en/', 'retained');
  expect(text).toContain('123 reserved');
  expect(text).toContain('1 blocked');
  expect(text).toContain('0 disputed');
});

it('the retained names begin at the beginning of the list, a few of them', async () => {
  const shown = await section('/et/', 'retained');
  expect(names(shown).slice(0, 3)).toEqual(['2mm.ee', 'aas.ee', 'k000.ee']);
  expect(shown.rows).toHaveLength(10);
});

it('the retained names are found by the beginning of the name, in either case', async () => {
  expect(names(await section('/en/?starts=%C3%95', 'retained'))).toEqual(['õ.ee']);
  expect(names(await section('/en/?starts=k11', 'retained'))).toHaveLength(10);
  expect((await section('/en/?starts=nothing', 'retained')).text).toContain(
    'No retained name begins like this.',
  );
});

it('the retained names are shown once with all their statuses, and lead to the answer about them', async () => {
  const { html, rows } = await section('/en/?starts=k000', 'retained');
  expect(rows).toEqual([['k000.ee', 'blocked, reserved']]);
  expect(linkOf(html, 'k000.ee')).toBe('/en/?name=k000.ee');
});

it('the retained names come in pages, to the end, and none is lost or repeated', async () => {
  const seen: (string | undefined)[] = [];
  let pages = 0;
  for (let path: string | undefined = '/et/?starts=k'; path; pages++) {
    const shown = await section(path, 'retained');
    seen.push(...names(shown));
    path = linkOf(shown.html, 'Järgmised');
  }
  expect([pages, seen]).toEqual([3, manyNames]);
});

it('the retained names lead back from a later page to the first', async () => {
  const { html } = await section('/en/?starts=k&after=k049.ee', 'retained');
  expect(linkOf(html, 'Back to the beginning')).toBe('/en/?starts=k#retained');
  const { text } = await section('/en/?starts=k&after=k119.ee', 'retained');
  expect(text).toContain('No retained name begins like this.');
});

it('shows whatever a list has as text', async () => {
  const hostile = `"'><script>alert(1)</script>&lt;.ee`;
  await addAuction(worker.env, { name: hostile, punycode: hostile });
  await addRetainedDomain(worker.env, { name: hostile, punycode: hostile });
  await worker.scheduled('31 * * * *');
  const html = await (await worker.fetch('/en/?auctions=script&starts=%22')).text();
  expect(documentProblem(html)).toBeUndefined();
  expect(rowsOf(sectionOf(html, 'auctions'))[0]![0]).toBe(hostile);
  expect(rowsOf(sectionOf(html, 'retained'))[0]![0]).toBe(hostile);
});

it.each([
  ['et', 'auctions', 'Tabelarvutusele (CSV)', 'text/csv', 'žürii.ee,xn--rii-goa36d.ee'],
  ['en', 'auctions', 'New auctions as a feed (Atom)', 'application/atom+xml', '<feed '],
  ['en', 'retained', 'For a spreadsheet (CSV)', 'text/csv', 'k000.ee,reserved,k000.ee'],
])(
  'the page leads to what its lists are as a file: %s, %s, %s',
  async (language, id, words, type, content) => {
    const { html } = await section(`/${language}/`, id);
    const response = await worker.fetch(linkOf(html, words)!);
    expect(response.headers.get('Content-Type')).toBe(`${type}; charset=utf-8`);
    expect(await response.text()).toContain(content);
  },
);

it('a feed reader finds the feed from the address of the page', async () => {
  const found = /<link rel="alternate" type="application\/atom\+xml" title="[^"]+" href="(.*?)"/;
  for (const path of ['/et/', '/en/?name=a.ee']) {
    const [, href] = found.exec(await (await worker.fetch(path)).text()) ?? [];
    expect(href).toBe('/auctions.atom');
  }
});
