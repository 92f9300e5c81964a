import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { opening } from '../../src/tool/bindings.ts';
import { loopbackPages } from '../../src/tool/desk/pages.ts';
import { contactHeader, openKept, startTool } from '../tool/tool.ts';

const tool = startTool();
const registry = tool.sharedRegistry('ALPHA', 'BETA');

const people = `
ALPHA:1,Mari Tamm,mari@tamm.example,+372.5551231,48703146529,priv,EE
ALPHA:2,OÜ Tamm ja Pojad,info@tamm.example,+372.5551232,10000001,org,EE
ALPHA:3,Jüri Põldmäe,juri@poldmae.example,+372.5551233,38001085718,priv,EE
ALPHA:4,Peeter Poldmae,peeter@poldmae.example,+372.5551234,PA1234567,priv,FI
ALPHA:5,Łukasz Øygård-Żak,lukasz@zak.example,+372.5551235,SE1234567,priv,SE
ALPHA:6,Nguyễn Thị,nguyen@thi.example,+372.5551236,VN1234567,priv,VN
ALPHA:7,Jaan Kadunud,Jaan@Õun.example,+372.5551237,KADUNUD-1,priv,FI
ALPHA:8,Jaan Kadunud,jaan@õun.example,+372.5551238,KADUNUD-2,priv,FI
BETA:VAINO,Väino Saar,vaino@saar.example,+372.5551239,VS1,priv,FI
ALPHA:9,Eve O'Brien-Kask,eve@uus.example,+372.5551241,010203-12345,priv,LV
BETA:9,Eve Kask,eve@kask.example,+358.405551241,01020312345,priv,LV
ALPHA:10,Eve Kask,eve@fi.example,+371.29999999,01020312345,priv,FI
ALPHA:11,Anu Paju,anu@paju.example,+372.5551242,1990-01-02,birthday,EE
ALPHA:12,Anu Paju,anu@teine.example,+372.5551243,1990-01-02,birthday,EE
ALPHA:13,Ats Paju,ats@paju.example,+372.5551244,1990-01-02,birthday,EE
`.trim();

beforeAll(async () => {
  vi.stubEnv('ZONES', 'ee, pri.ee');
  const many = Array.from({ length: 25 }, (_, n) => {
    return `BETA:M${n},Kalle ${n} Kuusk,kalle@kuusk.example,+372.5551240,KK${n},priv,FI`;
  });
  const rows = `${people}\n${many.join('\n')}\n`.replace(/^(\w+)(.*)$/gm, '$1$2,$1');
  await registry.done('contact import -', `${contactHeader.trim()},registrar\n${rows}`);
  for (const code of ['ALPHA:7', 'ALPHA:8']) {
    await registry.done(['contact', 'delete', code, '--yes']);
  }
  await registry.done(
    ['domain', 'import', '-'],
    'name,registrar,registrant\nkohvikann.ee,ALPHA,ALPHA:1\npõldmäe.ee,ALPHA,ALPHA:3\n',
  );
  const roles = 'name,registrar,registrant,admin,tech\n';
  await registry.done(
    ['domain', 'import', '-'],
    `${roles}eve.ee,ALPHA,ALPHA:9,ALPHA:9,BETA:9\noks.ee,BETA,BETA:9,,\n`,
  );
  await registry.done('contact update ALPHA:9 --email eve@uuem.example');
  await registry.done('retained add kohvikann.pri.ee --status reserved');
  vi.stubEnv('ZONES', 'ee');
  await registry.done('dispute open lõhe.ee --first-day 2026-01-01');
  await registry.done('auction start räim.ee');
});

afterAll(() => vi.unstubAllEnvs());

/** Where the search leads, or the text of its page and the links in it. */
const find = (text: string) => open(`/find?q=${encodeURIComponent(text)}`);

async function open(path: string) {
  const pages = loopbackPages({ persistTo: registry.directory }, undefined);
  const answer = await opening.run(openKept, () => pages.request(path));
  const to = answer.headers.get('location');
  if (to) return { to: decodeURIComponent(to) };
  expect(answer.status).toBe(200);
  const [, main = ''] = (await answer.text()).split(/<main[^>]*>/);
  const links = [...main.matchAll(/href="([^"]+)"/g)].map(([, href]) => decodeURIComponent(href!));
  return {
    main: main
      .replace(/<\/?bdi[^>]*>/g, '')
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
      .replaceAll('&#39;', "'")
      .replaceAll('&quot;', '"'),
    links,
  };
}

const contact = (number: number) => `/contact/ALPHA:${number}`;

test.each([
  ['a surname', 'Tamm', [contact(1), contact(2)]],
  ['the beginning of a word', 'poj', [contact(2)]],
  ['words in another order', 'tamm mari', [contact(1)]],
  ['words with a comma', 'Tamm, Mari', [contact(1)]],
  ['a name without its accents', 'Poldmae', [contact(3), contact(4)]],
  ['accents that the name lacks', 'PÕLDMÄE', [contact(3), contact(4)]],
  ['letters that no accent makes', 'lukasz oygard zak', [contact(5)]],
  ['accents that are not folded', 'nguyễn', [contact(6)]],
  ['a registrar by its name', 'beta oü', ['/registrar/BETA']],
  ['a code without its prefix', 'vaino', ['/contact/BETA:VAINO']],
  ['a part of words of two people', 'mari juri', []],
])('finds by %s', async (_, text, hits) => {
  const { to, links } = await find(text);
  expect(to ? [to] : links).toEqual(hits);
});

test('lists the first twenty, says so, and offers the command that lists all', async () => {
  const { main, links } = await find('kuusk kalle');
  expect(links).toHaveLength(20);
  expect(main).toContain('The first 20 of each kind');
  const [, command = ''] = /npm run registry -- (contact list .*?) --persist-to/.exec(main!)!;
  expect(command).toBe("contact list --name 'kuusk kalle'");
  const all = await registry.done(['contact', 'list', '--name', 'kuusk kalle']);
  expect(all.contacts).toHaveLength(25);
  expect(await find('kalle 1 kuusk')).toMatchObject({
    main: expect.not.stringContaining('The first 20 of each kind'),
  });
});

const uuidPage = expect.stringMatching(/^\/contact\/[0-9a-f-]{36}$/);

test.each([
  ['an address in another spelling', 'JAAN@xn--un-bka.example', 2],
  ['an identity code', 'kadunud 1', 1],
  ['an address that no deleted contact had', 'mari@tamm.example.org', 0],
])('finds deleted contacts by %s', async (_, text, count) => {
  const { to, links, main } = await find(text);
  const people = (links ?? []).filter((link) => link.startsWith('/contact/'));
  expect(to ? [to] : people).toEqual(Array(count).fill(uuidPage));
  if (count > 1) expect(main).toContain(`contact list --email ${text} --deleted`);
});

test.each([
  ['one letter too few', 'kohvikan.ee', ['/name/kohvikann.ee']],
  ['one letter too many', 'kohvikanna.ee', ['/name/kohvikann.ee']],
  ['another letter', 'kohvikamn.ee', ['/name/kohvikann.ee']],
  ['two letters exchanged', 'kohivkann.ee', ['/name/kohvikann.ee']],
  ['no accents', 'POLDMAE.ee', ['/name/põldmäe.ee']],
  ['an accent too many', 'köhvikann.ee', ['/name/kohvikann.ee']],
  ['no ending', 'kohvikann', ['/name/kohvikann.ee']],
  ['of a dispute, no accents', 'lohe.ee', ['/name/lõhe.ee']],
  ['of an auction, no accents', 'raim.ee', ['/name/räim.ee']],
])('suggests a name for one with %s, below what is said of that one', async (_, text, names) => {
  const { to, ...found } = await find(text);
  const { main, links } = to ? await open(to) : found;
  const verdict = /is not registered here, and on none of the lists\. .* Names near it that are on/;
  expect(main).toMatch(to ? verdict : /Near kohvikann Nothing was found for kohvikann as it is/);
  expect(links!.filter((link) => link.startsWith('/name/'))).toEqual(names);
});

test('a name beside others leads to its own page only if nobody has one that is near', async () => {
  const others = [
    'ALPHA:20,Sirje Obrien,sirje@obrien.example,+372.5551250,SO1,priv,FI,ALPHA\n',
    'ALPHA:21,Sirje Obrian,obrian@obrien.example,+372.5551251,SO2,priv,FI,ALPHA\n',
    'ALPHA:22,Heli Ainus,heli@ainus.example,+372.5551252,HA1,priv,FI,ALPHA\n',
  ];
  const header = `${contactHeader.trim()},registrar\n`;
  await registry.done('contact import -', header + others.join(''));
  expect((await find('heli ainus')).to).toBe(contact(22));
  const { main, links } = await find('sirje obrien');
  expect(links).toEqual([contact(20), contact(21)]);
  expect(main).toMatch(/^ Found for sirje obrien .* Near it .*Sirje Obrian/);
  expect((await find('ALPHA:20')).to).toBe(contact(20));
});

test('a registrar among other hits has its name and its state', async () => {
  await registry.done(['registrar', 'add', '--code', 'EVE', '--name', 'Eve Registrar']);
  await registry.done(['registrar', 'suspend', 'EVE', '--reason', 'unpaid']);
  const { main, links } = await find('eve');
  expect(links).toContain('/registrar/EVE');
  expect(main).toContain('Eve Registrar EVE (suspended)');
});

test.each([
  ...['kohvikann.ee', 'xn--pldme-jra9i.ee', 'KOHVIKANN.PRI.ee', 'free.ee', 'Lõhe.ee'],
  ...['www.kohvikann.ee', 'https://www.kohvikann.ee/menüü?a=b'],
])('leads to the page of the name %s', async (text) => {
  expect((await find(text)).to).toMatch(/^\/name\/(www\.)?[a-zõä]+(\.pri)?\.ee$/);
});

test.each(['Nobody', 'ZZ-1234', '38001085719', 'no such person', 'nobody@tamm.example', '%', "'"])(
  'offers no command for %s, who is not there',
  async (text) => {
    const { main, links } = await find(text);
    expect(main).toContain('Nothing found');
    expect(main).not.toContain('npm run registry');
    expect(links).toEqual([]);
  },
);

test.each([
  ['555 1231'],
  ['+372.5551231'],
  ['00372-555-1231'],
  ['(0)5551231'],
  ['\u202a+372\u00a0555\u20111231\u202c'],
])('finds a contact by its telephone number as %j', async (text) => {
  expect((await find(text)).to).toBe(contact(1));
});

test.each([
  ['an identity code with its country', 'EE 38001085718', 'person'],
  ['an identity code with its country before it', 'ee38001085718', 'person'],
  ['an identity code with scheme and country', 'PNOEE-38001085718', 'person'],
  ['a telephone link', 'tel:+372-555-1231', contact(1)],
  ['a mail link', 'mailto:mari@tamm.example?subject=x', contact(1)],
  ['an address behind a name', '"Tamm, Mari" <mari@tamm.example>', contact(1)],
  ['a code with what is not seen', '\u200bALPHA:1\u202c', contact(1)],
  ['a disclosure as the desk names it', 'disclosure 7', '/disclosure/7'],
])('reads %s as people paste it', async (_, text, to) => {
  expect((await find(text)).to).toMatch(new RegExp(`^(/${to}/.*|${to})$`));
});

test('an identity of another country is nobody else', async () => {
  expect((await find('FI 38001085718')).main).toContain('Nothing found');
  const { links } = await find('EE 1990-01-02');
  expect(links).toEqual([contact(11), contact(12), contact(13)]);
});

test('suggests a registrar by one word of several, and a name whose dot is a blank', async () => {
  expect((await find('Beta Registrar')).links).toContain('/registrar/BETA');
  expect((await find('kohvikann ee')).links).toContain('/name/kohvikann.ee');
});

test('finds every contact with the last seven digits, and no telephone number by the digits of an identity code', async () => {
  expect((await find('5551241')).links).toEqual([contact(9), '/contact/BETA:9']);
  expect((await find('38001085718')).to).toMatch(/^\/person\//);
});

test('finds a contact by an address that it had before', async () => {
  expect((await find('eve@uus.example')).main).toMatch(
    /Formerly of the contact ALPHA:9 \(now Eve O'Brien-Kask\) ?, until .*: it shows whose data it has now\./,
  );
  expect((await find('eve@uuem.example')).to).toBe(contact(9));
});

test.each([
  ['one letter too few', 'Mari Tam', [contact(1)]],
  ['one letter too many', 'peeter poldmaee', [contact(4)]],
  ['two other letters', 'Jüri Poltmie', []],
  ['another letter', 'Jüri Pöldmie', [contact(3)]],
  ['two letters exchanged', 'Lukazs', [contact(5)]],
  ['a mistake in the first of two words', 'Vöino Saar', ['/contact/BETA:VAINO']],
  ['a mistake, and words in another order', 'poldmea jüri', [contact(3)]],
])('finds a person with %s: %s', async (_, text, hits) => {
  const { to, links, main } = await find(text);
  expect(to ? [to] : links).toEqual(hits);
  if (!to && hits.length > 0)
    expect(main).toContain(`Nothing was found for ${text} as it is written.`);
});

test.each(['Kadunud', 'kadunud jaan', 'Kadunut'])(
  'finds deleted persons by the name %s',
  async (text) => {
    const { links, main } = await find(text);
    expect(links!.filter((link) => link.startsWith('/contact/'))).toEqual([uuidPage, uuidPage]);
    expect(main).toContain('Jaan Kadunud');
  },
);

test('an identity code leads to its person, whose page has every contact and every domain with its roles', async () => {
  const { to } = await find('010203 12345');
  const { contacts } = await registry.done('contact list --ident 01020312345');
  const [alpha, beta, finn] = ['ALPHA:9', 'BETA:9', 'ALPHA:10'].map(
    (code) => contacts.find((one: { code: string }) => one.code === code).uuid,
  );
  expect(to).toBeUndefined();
  const { main, links } = await open(`/person/${beta}`);
  expect(links).toEqual([
    ...[contact(9), '/registrar/ALPHA', '/contact/BETA:9', '/registrar/BETA'],
    ...['/name/eve.ee', '/registrar/ALPHA', contact(9), contact(9), '/contact/BETA:9'],
    ...['/name/oks.ee', '/registrar/BETA', '/contact/BETA:9'],
  ]);
  expect(main).toContain(
    'has 2 contacts at 2 registrars with this identity, holds 2 domains, and is named in 0 others.',
  );
  expect((await open(`/person/${alpha}`)).links).toEqual(links);
  expect((await open(`/person/${finn}`)).main).toContain(
    'has 1 contact at 1 registrar with this identity, holds 0 domains',
  );
  const page = await open(contact(9));
  expect(page.links).toContain(`/person/${alpha}`);
  expect(page.main).toContain('All contacts and domains with this identity');
});

test('a person known by the birthday is known by the name as well', async () => {
  const { links } = await find('1990-01-02');
  expect(links).toEqual([contact(11), contact(12), contact(13)]);
  const { contact: anu } = await registry.done('contact show ALPHA:12');
  const page = await open(`/person/${anu.uuid}`);
  const contacts = page.links!.filter((link) => link.startsWith('/contact/'));
  expect(contacts).toEqual([contact(11), contact(12)]);
});

test.each([
  ['koh_vik.ee', '"koh_vik.ee" contains an underscore, which is not allowed.'],
  ['-kohvik.ee', 'has a part that starts or ends with a hyphen.'],
  ['kohvik..ee', 'has two dots in a row, or starts with a dot.'],
  ['https://koh_vik.ee/a', '"koh_vik.ee" contains an underscore, which is not allowed.'],
])('says why %s is no name, as the page does', async (text, sentence) => {
  expect((await find(text)).main).toContain(sentence);
});

test.each([
  ['9,000 letters', 'ö'.repeat(9_000)],
  ['9,000 letters and an ending', `${'a'.repeat(9_000)}.ee`],
  ['9,000 letters and an @', `${'a'.repeat(9_000)}@b.ee`],
  ['3,000 words', 'aa '.repeat(3_000)],
  ['9,000 digits', '5'.repeat(9_000)],
  ['a telephone number with a dot', '+372.5559999'],
  ['64 letters', 'a'.repeat(64)],
  ['255 letters', 'ab '.repeat(85)],
])('finds nothing for %s', async (_, text) => {
  expect((await find(text)).main).toMatch(/^ Nothing found Enter words/);
});

test('leads to a contact by its UUID, and offers to look for an unknown request in all of the history', async () => {
  const { contact } = await registry.done('contact show ALPHA:1');
  expect(await find(contact.uuid.toUpperCase())).toEqual({ to: '/contact/ALPHA:1' });
  const unknown = crypto.randomUUID();
  expect((await find(unknown)).main).toContain(`history --request ${unknown}`);
});

test('a list of hits says whose data were asked for, present or deleted, as what staff must not tell', async () => {
  const rows = [
    'ALPHA:30,Toivo Küsitud,toivo@kysitud.example,+372.5551260,TK1,priv,FI,ALPHA\n',
    'BETA:30,Toivo Küsitud,toivo@beta.example,+372.5551261,TK1,priv,FI,BETA\n',
    'ALPHA:31,Toivo Küsitud,toivo@teine.example,+372.5551262,TK1,priv,LV,ALPHA\n',
    'ALPHA:32,Toivo Küsitud,toivo@kustutatud.example,+372.5551263,TK1,priv,FI,ALPHA\n',
  ];
  await registry.done('contact import -', `${contactHeader.trim()},registrar\n${rows.join('')}`);
  await registry.done(['contact', 'delete', 'ALPHA:32', '--yes']);
  const { main: before } = await find('toivo küsitud');
  expect(before).not.toContain('Do not tell the caller');
  await registry.done([
    ...['disclosure', 'open', '--contact', 'ALPHA:30', '--requester', 'Mari Maasikas'],
    ...['--identified-by', 'ID card', '--organization', 'Police', '--basis', 'case 12-3'],
    ...['--fields', 'name', '--confidential'],
  ]);
  const { main } = await find('toivo küsitud');
  expect(main).toMatch(
    /Do not tell the caller: somebody has asked for data with the identity of Toivo Küsitud ALPHA:30 , Toivo Küsitud BETA:30 , ALPHA:32 \. The page of the contact says what may be told\./,
  );
});

test.each([
  ['a telephone number', '+372 5559 999'],
  ['a name', 'olematu inimene'],
  ['an address', 'olematu@x.example'],
  ['a name with a near domain name', 'kohvikan'],
  ['a name that ends like a domain name', 'olematu.'],
])('a miss of %s says that former ones are not searched', async (_, text) => {
  expect((await find(text)).main).toContain(
    'Former telephone numbers are not searched, nor former names of contacts that exist. An erased contact is found by its code or UUID alone.',
  );
});
