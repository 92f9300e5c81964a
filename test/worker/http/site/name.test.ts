import { beforeAll, describe, expect, it } from 'vitest';
import { parseDomainName } from '../../../../src/name/domain/operator/name.ts';
import { removeRetainedDomains } from '../../../../src/name/retained/change-names.ts';
import { addRetainedDomains } from '../../../../src/name/retained/operator/change-names.ts';
import { openDispute } from '../../../../src/name/retained/operator/dispute.ts';
import { addAuction, addDispute, addRetainedDomain, operator } from '../../../support/fixtures.ts';
import { shareEmptyWorker } from '../../../support/worker.ts';
import { documentProblem, linkOf, textOf } from './document.ts';

const worker = shareEmptyWorker({ LOOKUP_URL: '', REGISTRARS_URL: '' });

beforeAll(async () => {
  await addRetainedDomain(worker.env, { name: 'reserved.ee', status: 'reserved' });
  await addRetainedDomain(worker.env, { name: 'blocked.ee', status: 'blocked' });
  await addDispute(worker.env, { name: 'disputed.ee' });
  await addAuction(worker.env, { name: 'auction.ee' });
  await addRetainedDomain(worker.env, { name: 'both.ee', status: 'reserved' });
  await addDispute(worker.env, { name: 'both.ee' });
  for (const status of ['reserved', 'blocked'] as const) {
    await addRetainedDomain(worker.env, { name: 'all.ee', status });
  }
  await addDispute(worker.env, { name: 'all.ee' });
  await addAuction(worker.env, { name: 'all.ee' });
  await addRetainedDomain(worker.env, { name: 'õ.ee', punycode: 'xn--mda.ee', status: 'blocked' });
  await worker.scheduled('31 * * * *');
});

async function ask(language: string, name: string) {
  const response = await worker.fetch(`/${language}/?name=${encodeURIComponent(name)}`);
  const html = await response.text();
  const [, title = ''] = /<title>(.*?)<\/title>/.exec(html) ?? [];
  const [answer = ''] = /<section class="answer .*?<\/section>/s.exec(html) ?? [];
  const [heading = ''] = /<h2.*?<\/h2>/s.exec(answer) ?? [];
  const status = response.status;
  return { status, html, title: textOf(title), answer: textOf(answer), heading: textOf(heading) };
}

it.each([
  ['reserved.ee', 'reserved', 'reserveeritud'],
  ['blocked.ee', 'blocked', 'blokeeritud'],
  ['disputed.ee', 'disputed', 'vaidlustatud'],
  ['auction.ee', 'in auction', 'oksjonil'],
  ['both.ee', 'disputed and reserved', 'vaidlustatud ja reserveeritud'],
  [
    'all.ee',
    'blocked, disputed, in auction and reserved',
    'blokeeritud, vaidlustatud, oksjonil ja reserveeritud',
  ],
])('the answer about a name says of %s that it is %s', async (name, english, estonian) => {
  const [en, et] = [await ask('en', name), await ask('et', name)];
  expect([en.status, et.status]).toEqual([200, 200]);
  expect(en.heading).toBe(`${name} is ${english}`);
  expect(et.heading).toBe(`${name} on ${estonian}`);
  expect(en.title).toBe(`${name} is ${english} · Registry Edge`);
  expect(et.title).toBe(`${name} on ${estonian} · Registry Edge`);
});

it.each([
  ['reserved.ee', 'only with the registry’s consent', 'ainult registri nõusolekul'],
  ['blocked.ee', 'Nobody can register this name', 'ei saa keegi registreerida'],
  ['disputed.ee', 'A change of registrar is allowed', 'Registripidajat võib vahetada'],
  ['auction.ee', 'bid at the auction centre', 'tee pakkumine oksjonikeskkonnas'],
])(
  'the answer about a name says what the state of %s means for someone who wants it',
  async (name, english, estonian) => {
    expect((await ask('en', name)).answer).toContain(english);
    expect((await ask('et', name)).answer).toContain(estonian);
  },
);

it('the answer about a name calls a name on no list neither free nor taken', async () => {
  const name = 'on-no-list.ee';
  const [en, et] = [await ask('en', name), await ask('et', name)];
  expect([en.status, et.status]).toEqual([200, 200]);
  expect(en.title).toBe(`${name} is on none of the lists · Registry Edge`);
  expect(et.title).toBe(`${name} ei ole üheski nimekirjas · Registry Edge`);
  expect(en.heading).toBe(`${name} is on none of the lists`);
  expect(et.heading).toBe(`${name} ei ole üheski nimekirjas`);
  expect(en.answer).toContain('Somebody may have it already, or may have won it at auction');
  expect(et.answer).toContain('võib olla juba registreeritud või oksjonil müüdud');
  expect(en.answer).not.toMatch(/\bfree\b/i);
  expect(et.answer).not.toMatch(/\bvaba/i);
});

/** What a messenger shows of the page to which somebody has sent a link. */
async function preview(path: string) {
  const html = await (await worker.fetch(path)).text();
  expect(documentProblem(html)).toBeUndefined();
  const tags = html.matchAll(/<meta property="og:(\w+)" content="([^"]*)"/g);
  const { title, description } = Object.fromEntries([...tags].map(([, key, text]) => [key, text]));
  expect(html).toContain(`<meta name="description" content="${description}"`);
  return { title, description };
}

it.each([
  ['/en/', 'Check a domain name', 'Check whether a domain name is'],
  ['/et/', 'Domeeninime kontroll', 'Kontrolli, kas domeeninimi on'],
  [
    '/en/?name=auction.ee',
    'auction.ee is in auction',
    'To get it, bid at the auction centre while',
  ],
  ['/et/?name=auction.ee', 'auction.ee on oksjonil', 'tee pakkumine oksjonikeskkonnas, kuni'],
  ['/en/?name=both.ee', 'both.ee is disputed and reserved', 'and how. The registry has set'],
  ['/et/?name=none.ee', 'none.ee ei ole üheski nimekirjas', 'Küsi registripidajalt, kas'],
  ['/en/?name=%22%3E%3Cb%3E', 'Error: Check a domain name', 'Check whether a domain name is'],
])('the preview of a shared link says what the page says: %s', async (path, title, words) => {
  const shown = await preview(path);
  expect(shown.title).toBe(title);
  expect(shown.description).toContain(words);
});

it('the answer about a name says all that a name with several states means', async () => {
  const { answer } = await ask('en', 'both.ee');
  expect(answer).toContain('does not pass to another person');
  expect(answer).toContain('only with the registry’s consent');
});

it.each(['Õ.EE', 'xn--mda.ee', ' o\u0303.ee '])(
  'the answer about a name knows the name as %s, and shows both forms',
  async (name) => {
    const { heading, answer } = await ask('en', name);
    expect(heading).toBe('õ.ee is blocked');
    expect(answer).toContain('xn--mda.ee');
  },
);

it('the answer about a name is about the whole name, however many characters its spelling takes', async () => {
  const label = 'o\u0303'.repeat(40);
  const { status, heading } = await ask('en', `${label}.${label}.${label}.${label}.ee`);
  expect(status).toBe(200);
  expect(heading).toMatch(/^õ{40}\.õ{40}\.õ{40}\.õ{40}\.ee is on none of the lists$/);
});

it('the answer about a name says from what it was taken', async () => {
  const given = 'https://blocked.ee/path';
  expect((await ask('en', given)).answer).toContain(`Taken from “${given}”.`);
  expect((await ask('et', given)).answer).toContain(`Võetud tekstist „${given}“.`);
  expect((await ask('en', 'BLOCKED.ee')).answer).not.toContain('Taken from');
});

it('instead of an answer about what is no name, the page leads to the name that a browser opens for it', async () => {
  const [en, et] = [await ask('en', 'blocked².ee'), await ask('et', 'blocked².ee')];
  expect([en.status, et.status]).toEqual([400, 400]);
  expect(linkOf(en.html, 'Did you mean blocked2.ee?')).toBe('/en/?name=blocked2.ee');
  expect(linkOf(et.html, 'Kas mõtlesid nime blocked2.ee?')).toBe('/et/?name=blocked2.ee');
});

it('the answer about a name links to the same answer as JSON', async () => {
  const { html } = await ask('en', 'both.ee');
  const response = await worker.fetch(linkOf(html, 'For programs (JSON)')!);
  expect(await response.json()).toMatchObject({
    name: 'both.ee',
    statuses: ['disputed', 'reserved'],
  });
});

it('the answer about a name says since when it is what it is, and not until when', async () => {
  await addDispute(worker.env, {
    name: 'kevadeni.ee',
    firstDay: '2026-01-05',
    lastDay: '2099-03-01',
  });
  const reserved = {
    name: 'suveni.ee',
    createdAt: '2026-02-03T10:00:00.000Z',
    lastDay: '2099-06-01',
  };
  await addRetainedDomain(worker.env, reserved);
  await worker.scheduled('31 * * * *');
  for (const [name, english, estonian] of [
    ['kevadeni.ee', 'disputed since 5 January 2026', 'vaidlustatud alates 5.1.2026'],
    ['suveni.ee', 'reserved since 3 February 2026', 'reserveeritud alates 3.2.2026'],
  ] as const) {
    const [en, et] = [await ask('en', name), await ask('et', name)];
    expect(en.answer).toContain(english);
    expect(et.answer).toContain(estonian);
    for (const { answer } of [en, et]) expect(answer).not.toMatch(/2099|now|praegu/);
  }
});

it('the answer about a name comes before everything else that the page shows', async () => {
  const { html } = await ask('en', 'both.ee');
  expect(html.indexOf('<section class="answer ')).toBeLessThan(html.indexOf('<section id='));
});

it('the answer about a name stands in no page that was not asked', async () => {
  for (const path of ['/en/', '/en/?name=', '/en/?name=%20']) {
    const response = await worker.fetch(path);
    expect(response.status).toBe(200);
    expect(await response.text()).not.toContain('class="answer ');
  }
});

describe('the history of a name', () => {
  const page = async (language: string, query: string) => {
    const response = await worker.fetch(`/${language}/?${query}`);
    const html = await response.text();
    expect(documentProblem(html)).toBeUndefined();
    const [timeline = ''] = /<ol class="timeline".*?<\/ol>/s.exec(html) ?? [];
    const lines = timeline.split('</li>').slice(0, -1).map(textOf);
    const [answer = ''] = /<section class="answer .*?<\/section>/s.exec(html) ?? [];
    return { status: response.status, html, lines, answer: textOf(answer) };
  };

  const at = (time: string) => ({
    actor: operator.actor,
    request: { at: new Date(time), requestId: crypto.randomUUID() },
  });

  beforeAll(async () => {
    const name = parseDomainName('ajalugu.ee');
    const reserved = [{ ...name, status: 'reserved' as const }];
    await addRetainedDomains({ db: worker.db, origin: at('2026-01-02T10:00:00.000Z') }, reserved);
    const disputed = { firstDay: '2026-01-05', lastDay: '2026-01-07' };
    await openDispute(
      { db: worker.db, origin: at('2026-01-05T10:00:00.000Z') },
      { ...name, ...disputed },
    );
    await removeRetainedDomains(
      { db: worker.db, origin: at('2026-01-09T10:00:00.000Z') },
      reserved,
    );
    await addRetainedDomain(worker.env, { name: 'ajalugu.ee', status: 'blocked' });
  });

  it('the history of a name says what it was from which day to which, in both languages', async () => {
    expect((await page('en', 'name=ajalugu.ee')).lines).toEqual([
      'blocked since 2 January 2026',
      'reserved 2 January 2026 – 9 January 2026',
      'disputed 5 January 2026 – 7 January 2026',
    ]);
    expect((await page('et', 'name=ajalugu.ee')).lines).toEqual([
      'blokeeritud alates 2.1.2026',
      'reserveeritud 2.1.2026 – 9.1.2026',
      'vaidlustatud 5.1.2026 – 7.1.2026',
    ]);
  });

  it('the history of a name links to the same as JSON', async () => {
    const { html } = await page('en', 'name=ajalugu.ee');
    const response = await worker.fetch(linkOf(html, 'Its history (JSON)')!);
    expect(((await response.json()) as { history: unknown[] }).history).toHaveLength(3);
  });

  it.each([
    ['2026-01-01', 'it was on none of the lists', 'ei olnud nimi'],
    ['2026-01-07', 'it was blocked, disputed and reserved', 'oli nimi'],
    ['2026-01-09', 'it was blocked', 'oli nimi päeva 9.1.2026 lõpus blokeeritud.'],
  ])('the history of a name says what it was at the end of %s', async (day, english, estonian) => {
    const [en, et] = [
      await page('en', `name=Ajalugu.ee&as_of=${day}`),
      await page('et', `name=Ajalugu.ee&as_of=${day}`),
    ];
    expect([en.status, et.status]).toEqual([200, 200]);
    // Entries may be missing, so neither sentence goes beyond the record.
    expect(en.answer).toContain(`According to the registry’s records, ${english} at the end of`);
    expect(et.answer).toContain(`Registri andmetel ${estonian}`);
    expect(en.html).toContain(`/et/?name=Ajalugu.ee&amp;as_of=${day}`);
  });

  it('the history of a name does not say what it was before what is on record', async () => {
    await worker.env.DB.prepare(
      `insert into history (occurred_at, subject, subject_key, action, actor_type, actor, changes)
       values ('2026-02-01T10:00:00.000Z', 'retained_domain', 'vana.ee', 'delete', 'operator', 'Operator',
         '{"status":{"from":"reserved","to":null}}')`,
    ).run();
    const before = await page('en', 'name=vana.ee&as_of=1990-01-01');
    expect(before.lines).toEqual(['reserved until 1 February 2026']);
    expect(before.answer).toContain(
      'Whether it was reserved at the end of 1 January 1990 is no longer on record.',
    );
    expect(before.answer).not.toContain('According to');
    const after = await page('en', 'name=vana.ee&as_of=2026-02-01');
    expect(after.answer).toContain('it was on none of the lists at the end of 1 February 2026');
    expect((await page('et', 'name=vana.ee&as_of=1990-01-01')).answer).toContain(
      'Kas nimi oli päeva 1.1.1990 lõpus reserveeritud, ei ole enam teada.',
    );
  });

  it('a name that was never on a list gets no sentence about its history, and offers no day to ask about', async () => {
    const [en, et] = [await page('en', 'name=free.ee'), await page('et', 'name=free.ee')];
    expect(en.answer).toBe(
      'free.ee is on none of the lists Somebody may have it already, or may have won it at auction. Ask a registrar whether it can be registered. For programs (JSON)',
    );
    expect(et.answer).toBe(
      'free.ee ei ole üheski nimekirjas Nimi võib olla juba registreeritud või oksjonil müüdud. Küsi registripidajalt, kas seda saab registreerida. Programmidele (JSON)',
    );
    expect((await page('en', 'name=free.ee&as_of=2026-01-01')).answer).toContain(
      'it was on none of the lists at the end of 1 January 2026',
    );
  });

  it('the history of a name has a state that lasts, however much came after its beginning', async () => {
    const name = parseDomainName('kaua.ee');
    const since = { db: worker.db, origin: at('2025-01-02T10:00:00.000Z') };
    await addRetainedDomains(since, [{ ...name, status: 'blocked' as const }]);
    for (let day = 10; day < 22; day++) {
      const reserved = [{ ...name, status: 'reserved' as const }];
      const opened = { db: worker.db, origin: at(`2026-01-${day}T10:00:00.000Z`) };
      const ended = { db: worker.db, origin: at(`2026-01-${day}T11:00:00.000Z`) };
      await addRetainedDomains(opened, reserved);
      await removeRetainedDomains(ended, reserved);
    }
    const { lines } = await page('en', 'name=kaua.ee');
    expect([lines.length, lines[0]]).toEqual([11, 'blocked since 2 January 2025']);
  });

  it.each(['2026-02-30', '<b>', new Date().toISOString().slice(0, 10)])(
    'the history of a name refuses the day %s, and says why',
    async (day) => {
      const query = `name=ajalugu.ee&as_of=${encodeURIComponent(day)}`;
      const { status, html, answer, lines } = await page('en', query);
      expect([status, lines.length]).toEqual([400, 3]);
      expect(errorOf(html)).toContain('This is not a day that is over');
      expect(answer).not.toContain('According to');
    },
  );
});

/** The page's answer below the field. */
const errorOf = (html: string) => textOf(/<p class="error".*?<\/p>/s.exec(html)?.[0] ?? '');

it.each([
  'example',
  'a b.ee',
  'a..ee',
  'example.ee.',
  'xn--a.ee',
  'xn--mda..ee',
  'my_name.ee',
  "a'b.ee",
  '-a.ee',
  'ab--cd.ee',
  '\u0301a.ee',
  '127.0.0.1',
  `${'õ'.repeat(60)}.ee`,
  `${'a.'.repeat(150)}ee`,
])('what is not a name is refused for the reason that the call gives: %j', async (name) => {
  const called = await worker.fetch(`/repp/v1/retained_domains/${encodeURIComponent(name)}`);
  const { errors } = (await called.json()) as { errors: { name: [string] } };
  const [reason] = errors.name;
  expect(reason.startsWith(`${JSON.stringify(name)} `)).toBe(true);
  const words = reason.slice(JSON.stringify(name).length);
  expect(errorOf((await ask('en', name)).html)).toBe(`“${name}”${words}.`);
});

it.each([
  ['example', 'punkti ei ole: nimi registreeritakse tippdomeeni alla'],
  ['xn--a.ee', 'punycode on vigane'],
  ['my_name.ee', 'nimes on allkriips, mida domeeninimes olla ei saa'],
])('what is not a name is refused in Estonian as well: %s', async (name, reason) => {
  const { html } = await ask('et', name);
  expect(errorOf(html)).toBe(`„${name}“ ei ole domeeninimi: ${reason}.`);
});

it.each([
  'a..ee',
  '"><script>alert(1)</script>',
  `' onfocus='alert(1)`,
  '<img src=x onerror=alert(1)>.ee',
  '&lt;b&gt;.ee',
  'a\0b.ee',
  '\u202Eabc.ee',
  'x'.repeat(5_000),
  `${'a.'.repeat(200)}ee`,
])('what is not a name is refused in its place, and never cached: %j', async (name) => {
  const response = await worker.fetch(`/en/?name=${encodeURIComponent(name)}`);
  expect(response.status).toBe(400);
  expect(response.headers.get('Cache-Control')).toBe('private, no-store');
  expect(response.headers.get('ETag')).toBeNull();
  const html = await response.text();
  expect(documentProblem(html)).toBeUndefined();
  expect(errorOf(html)).not.toBe('');
  expect(html).toContain('aria-invalid="true"');
  expect(html).toContain('<title>Error: ');
  expect(html).not.toContain('class="answer ');
});

it.each(['%ED%A0%80', '%zz', '%00'])(
  'what is not a name may be encoded as wrongly as %s',
  async (encoded) => {
    const response = await worker.fetch(`/et/?name=${encoded}`);
    expect(response.status).toBe(400);
    const html = await response.text();
    expect(documentProblem(html)).toBeUndefined();
    expect(textOf(html)).toContain('ei ole domeeninimi');
  },
);

it('what is not a name cannot turn the direction of the text round', async () => {
  const { html } = await ask('en', '\u202Eee.cba');
  expect(html).not.toContain('\u202E');
  expect(errorOf(html)).toContain('“\ufffdee.cba”');
});

it('what is not a name leaves the field as it was filled in', async () => {
  const { html } = await ask('en', 'a "b" & c.ee');
  expect(html).toContain('value="a &quot;b&quot; &amp; c.ee"');
});

it('takes the first of several names', async () => {
  const html = await (await worker.fetch('/en/?name=blocked.ee&name=reserved.ee')).text();
  expect(textOf(html)).toContain('blocked.ee is blocked');
  expect(html).not.toContain('value="reserved.ee"');
});
