import { beforeAll, expect, test } from 'vitest';
import { snakeCase } from '../../src/change/history/changes.ts';
import { contactColumns } from '../../src/contact/fields.ts';
import { opening } from '../../src/tool/bindings.ts';
import { loopbackPages } from '../../src/tool/desk/pages.ts';
import { verification } from '../support/fixtures.ts';
import { csvOf, openKept, startTool } from '../tool/tool.ts';

const registry = startTool().sharedRegistry('ALPHA', 'BETA');

const person = (code: string, more: object = {}) => ({
  ...{ code, name: 'Mari Tamm', email: 'mari@tamm.example', phone: '+372.5551231' },
  ...{ ident: '48703146529', ident_type: 'priv', ident_country_code: 'EE' },
  ...more,
});
const channels = [
  ...['--phone', '+372.6123456', '--email', 'abi?a=b@alpha.example'],
  ...['--website', 'https://alpha.example/'],
];

beforeAll(async () => {
  await registry.done(['registrar', 'update', 'ALPHA', ...channels]);
  const checked = {
    identity_verification: verification({ framework: 'eidas', reference: 'N-1' }),
    email_verification: verification({ result: 'ended', method: 'letter' }),
    phone_verification: verification({ result: 'failed', method: 'call' }),
  };
  const people = [person('ALPHA:1', checked), person('ALPHA:2'), person('ALPHA:3')];
  await registry.done('contact import - --registrar ALPHA', csvOf(...people));
  await registry.done(
    'domain import -',
    'name,registrar,registrant\ntamm.ee,ALPHA,ALPHA:1\nkask.ee,BETA,ALPHA:1\n',
  );
});

/** The text of the page, and the addresses in it. */
async function show(path: string) {
  const pages = loopbackPages({ persistTo: registry.directory }, undefined);
  const answer = await opening.run(openKept, () => pages.request(path));
  const [, main = ''] = (await answer.text()).split(/<main[^>]*>/);
  return {
    html: main,
    text: main
      .replace(/<\/?bdi[^>]*>/g, '')
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
      .replaceAll('&#39;', "'"),
  };
}

/** Writes a row that no command of the operator can. */
async function write(statement: string, ...values: (string | null)[]) {
  const { env, dispose } = await registry.open();
  await env.DB.prepare(statement)
    .bind(...values)
    .run();
  await dispose();
}

test('a registrar’s page says whom to call, in links', async () => {
  const { html } = await show('/registrar/alpha');
  for (const [href, text] of [
    ['tel:+372.6123456', '+372.6123456'],
    ['mailto:abi%3Fa%3Db@alpha.example', 'abi?a=b@alpha.example'],
    ['https://alpha.example/', 'https://alpha.example/'],
  ]) {
    expect(html).toContain(`<a href="${href}" rel="noreferrer">${text}</a>`);
  }
  expect((await show('/registrar/BETA')).text).toContain(
    'Neither its phone nor its e-mail address is recorded.',
  );
});

test('what a former registry had of a registrar becomes no link unless today’s rule accepts it', async () => {
  await write(
    `insert into registrars (code, name, phone, website, created_at, updated_at)
     values ('OLD', 'Old', '6 123 456', 'javascript:alert(1)', ?1, ?1)`,
    '2026-01-02T03:04:05.678Z',
  );
  const { html, text } = await show('/registrar/OLD');
  expect(text).toContain('phone 6 123 456');
  expect(text).toContain('website javascript:alert(1)');
  expect(html).not.toMatch(/href="(tel|javascript):/);
});

test('a registrar’s page says what its users and the systems that act for it changed, the newest first', async () => {
  const none = 'No change of a contact or a domain by them is on record.';
  expect((await show('/registrar/ALPHA')).text).toContain(
    `What its users and systems changed ${none}`,
  );
  const entry = (code: string, type: string, actor: string, phone: string) =>
    write(
      `insert into history (occurred_at, subject, subject_key, registrar, action, actor_type, actor, changes)
       values (?1, 'contact', ?2 || ':1', ?2, 'update', ?3, ?4, json_object('phone', json_object('from', '+1.1', 'to', ?5)))`,
      ...['2026-01-02T03:04:05.678Z', code, type, actor, phone],
    );
  await entry('ALPHA', 'api_user', '7-ApiUser: ats', '+1.2');
  await entry('BETA', 'api_user', '8-ApiUser: bruno', '+1.3');
  await entry('ALPHA', 'operator', 'Operator olga', '+1.4');
  await entry('ALPHA', 'system', 'System: epp', '+1.5');
  const { text } = await show('/registrar/ALPHA');
  const [, changes] = /What its users and systems changed (.*) What happened/.exec(text)!;
  expect(changes).toMatch(
    /epp changed the contact .* phone: \+1\.1 → \+1\.5 .* ats of .* phone: \+1\.1 → \+1\.2/,
  );
  expect(changes).not.toMatch(/bruno|olga/);
  for (let n = 0; n < 20; n++) await entry('ALPHA', 'api_user', '7-ApiUser: ats', `+1.9${n}`);
  const after = (await show('/registrar/ALPHA')).html;
  expect(after.match(/→ <bdi>\+1\.9/g)).toHaveLength(20);
  expect(after).not.toContain('+1.5');
});

test('a registrar’s page counts the users that can log in, and says who disabled another, and when', async () => {
  const users = ['una', 'duo', 'tres'];
  await registry.done('registrar add --code GAMMA --name Gamma');
  for (const user of users)
    await registry.done(`api-user add --registrar GAMMA --username ${user}`);
  await registry.done('api-user disable duo');
  await registry.done('api-user rotate una');
  await write('update api_users set certificate_required = 1 where username = ?1', 'tres');
  const { text } = await show('/registrar/GAMMA');
  expect(text).toContain('1 API user can log in for it, from every address.');
  expect(text).toContain('Logins as tres need a client certificate, and no valid one is bound.');
  expect(text).toMatch(/The operator \(\w+\) replaced the secret of the API user una /);
  expect(text).toMatch(/The operator \(\w+\) disabled the API user duo .*\(now\)/);
  await registry.done('api-user disable una');
  expect((await show('/registrar/GAMMA')).text).toContain('No API user can log in for it.');
});

test('a suspended registrar is called that wherever it is named, for the reason of this suspension', async () => {
  await registry.done('registrar add --code DELTA --name Delta');
  await registry.done(['registrar', 'suspend', 'DELTA', '--reason', 'unpaid']);
  await registry.done('registrar resume DELTA');
  await registry.done(['registrar', 'suspend', 'DELTA', '--reason', 'contract ended']);
  const { text } = await show('/registrar/DELTA');
  expect(text).toMatch(/Suspended since [^.]*: contract ended\. Nobody can log in for it\./);
  expect(text).toMatch(/The operator \(\w+\) resumed the registrar Delta DELTA \(suspended\)/);
  await registry.done('domain import -', 'name,registrar,registrant\nkuu.ee,DELTA,ALPHA:1\n');
  expect((await show('/name/kuu.ee')).text).toContain(
    'kuu.ee is registered with Delta DELTA (suspended)',
  );
  expect(await answerAbout('kuu.ee')).toContain('registered with Delta (DELTA, suspended)');
});

test('a registrar’s page says how many deliveries wait, and what came of the last attempt at them', async () => {
  const webhook = ['registrar', 'update', 'BETA', '--webhook', 'https://hooks.beta.ee/in'];
  await registry.done(webhook);
  expect((await show('/registrar/BETA')).text).toContain('deliveries waiting 0');
  const ofBeta = "(select id from registrars where code = 'BETA')";
  for (const [id, outcome] of Object.entries({ 1: 'answered 500', 2: 'timed out' })) {
    await write(
      `insert into webhook_deliveries (id, registrar_id, created_at, waits_since, attempts, attempted_at, outcome)
       values (?1, ${ofBeta}, ?2, ?2, 1, ?2, ?3)`,
      ...[id, `2026-01-0${id}T03:04:05.678Z`, outcome],
    );
  }
  expect((await show('/registrar/BETA')).text).toMatch(
    /deliveries waiting 2 last attempt at them timed out, Fri 2 Jan 2026, 03:04 UTC/,
  );
});

test('what happened to a contact has its code, and today’s name as today’s', async () => {
  await registry.done(['contact', 'update', 'ALPHA:2', '--name', 'Liis Paju']);
  const { text } = await show('/contact/ALPHA:2');
  expect(text).toMatch(/The operator \(\w+\) created the contact ALPHA:2 \(now Liis Paju\)/);
  await registry.done(['contact', 'update', 'ALPHA:2', '--name', 'Mari Tamm']);
});

test('a contact’s page says of every claim whether it is verified: when, by whom and how', async () => {
  const { text } = await show('/contact/ALPHA:1');
  const on = 'Fri 2 Jan 2026, 03:04 UTC \\(.+? ago\\) by the operator \\(test\\)';
  expect(text).toMatch(
    new RegExp(`identity verified yes, on ${on}: electronic identity, eIDAS, N-1 e-mail`),
  );
  expect(text).toMatch(
    new RegExp(`e-mail verified no longer, it has changed since its check on ${on}: letter`),
  );
  expect(text).toMatch(new RegExp(`phone verified no, the check failed on ${on}: call`));
  expect(text).toContain('not checked name, address ');
});

test('a contact’s page shows every field of the contact but secrets, the next one included', async () => {
  const fields = contactColumns.filter(([, { isOnDesk, rule }]) => isOnDesk && rule);
  const texts = fields
    .filter(([column, { isList }]) => !isList && column !== 'email')
    .map(([column]) => column);
  const columns = texts.map((column) => `${snakeCase(column)} = '${column} here'`).join(', ');
  await write(
    `update contacts set ${columns}, auth_info = 'secret-of-three', disclosed_attributes = '["email"]', legacy_id = '77' where code = 'ALPHA:3'`,
  );
  const { text, html } = await show('/contact/ALPHA:3');
  expect(html).not.toContain('secret-of-three');
  expect(texts.filter((column) => !text.includes(`${column} here`))).toEqual([]);
  expect(text).toContain('e-mail mari@tamm.example ');
  expect(text).toContain('public fields e-mail number in the former registry 77 ');
  expect(text).toContain('address street here, zip here, city here, state here, countryCode here ');
});

test('a contact’s page lists who asked for its data, the newest first, and so does the tool', async () => {
  expect((await show('/contact/ALPHA:1')).text).not.toContain('Who asked for data');
  const open = (contact: string, organization: string) => [
    ...[
      'disclosure',
      'open',
      '--contact',
      contact,
      '--requester',
      'Mati',
      '--fields',
      'name,email',
    ],
    ...['--identified-by', 'ID card', '--organization', organization, '--basis', 'case 1'],
  ];
  await registry.done(open('ALPHA:1', 'Police'));
  await registry.done(open('ALPHA:2', 'Court'));
  await registry.done([...open('ALPHA:1', 'Bank'), '--confidential']);
  await registry.done(['disclosure', 'refuse', '1', '--reason', 'no basis']);
  const idsOf = async (words: string) => {
    const { disclosures } = await registry.done(`disclosure list ${words}`);
    return (disclosures as { id: number }[]).map(({ id }) => id);
  };
  expect(await idsOf('--contact alpha:1')).toEqual([1, 3]);
  expect(await idsOf('--contact ALPHA:1 --open')).toEqual([3]);
  const unknown = await registry.run('disclosure list --contact ALPHA:9');
  expect(unknown).toMatchObject({ status: 1, stderr: expect.stringContaining('ALPHA:9') });
  const { text, html } = await show('/contact/ALPHA:1');
  expect(text).toMatch(
    /Who asked for data with this identity .*disclosure 3 Bank Mati name, e-mail open yes disclosure 2 Court .* disclosure 1 Police Mati name, e-mail refused .* no Who looked/,
  );
  expect(text).toContain(
    'No granted request that the person may know of is on record with this identity code.',
  );
  expect(text).toContain('Do not tell the caller: Bank asks for data (kept from the person).');
  const grant = ['disclosure', 'grant', '2', '--to', `${registry.directory}/2.json`];
  await registry.done([...grant, '--visible-after', '2099-01-01']);
  await registry.done(['disclosure', 'grant', '3', '--to', `${registry.directory}/3.json`]);
  for (const path of ['/contact/ALPHA:1', '/contact/ALPHA:2']) {
    const { text } = await show(path);
    expect(text).toContain(
      'Do not tell the caller: data were given to Bank (kept from the person).',
    );
    expect(text).toContain(
      'Do not tell the caller: data were given to Court (not to be told before Fri 2 Jan 2099,',
    );
  }
  expect(html).toContain('href="/disclosure/1"');
});

test('a name’s answer says how its registrar can be reached, on the desk and in the tool', async () => {
  const answer = 'Its registrar can be reached at +372.6123456 or abi?a=b@alpha.example.';
  expect((await show('/name/tamm.ee')).text).toContain(answer);
  expect((await registry.run('name tamm.ee')).stdout).toContain(answer);
  expect((await show('/name/kask.ee')).text).not.toContain('can be reached');
});

test('a comment for staff stands apart from what a name’s page answers, as a warning', async () => {
  await registry.done([
    ...['retained', 'add', 'kohus.ee', '--status', 'blocked', '--comment', 'court order 5'],
  ]);
  const { html } = await show('/name/kohus.ee');
  const lists = [...html.matchAll(/<ul class="sentences (\w+ [^"]*)">(.*?)<\/ul>/gs)];
  expect(lists.map(([, kind, list]) => [kind, list!.includes('court order 5')])).toEqual([
    ['answer ', false],
    ['kept answer warning', true],
  ]);
});

/** What is said of the name first, on one line. */
const answerAbout = async (name: string) =>
  (await registry.run(['name', name])).stdout.split('\n')[0];

const setAuction = (name: string, status: string, deadline = '') =>
  write(
    `update auctions set status = ?2, registration_deadline = nullif(?3, '') where name = ?1`,
    ...[name, status, deadline],
  );

test('a name after an auction says its deadline first, who sets it, and who alone knows the winner', async () => {
  await registry.done('auction start kohv.ee');
  const centre = 'Only the auction centre knows the bidders and the winner.';
  expect(await answerAbout('kohv.ee')).toMatch(
    /^kohv.ee is in auction; this auction was opened on [^.]*\. Its registration is refused now: "kohv.ee" is in auction\.$/,
  );
  await setAuction('kohv.ee', 'awaiting_payment', '2099-12-03');
  expect(await answerAbout('kohv.ee')).toBe(
    'kohv.ee is to be registered by 3 Dec 2099, which the auction centre sets: it was sold at auction and is not paid. ' +
      `${centre} Its registration is refused now: "kohv.ee" has an auction that awaits payment.`,
  );
  await setAuction('kohv.ee', 'awaiting_payment', '2020-12-03');
  expect(await answerAbout('kohv.ee')).toMatch(/^kohv.ee was to be registered by 3 Dec 2020, /);
  await setAuction('kohv.ee', 'awaiting_payment');
  expect(await answerAbout('kohv.ee')).toMatch(/^kohv.ee was sold at auction and is not paid\. /);
  await setAuction('kohv.ee', 'payment_not_received');
  expect(await answerAbout('kohv.ee')).toBe(
    'kohv.ee is not registered here, and on none of the lists; ' +
      'its last auction that was not cancelled ended as payment not received. ' +
      `${centre} Nothing here prevents its registration.`,
  );
  await setAuction('kohv.ee', 'no_bids');
  expect(await answerAbout('kohv.ee')).not.toContain(centre);
  expect(await answerAbout('tamm.ee')).not.toContain('auction centre');
});

test('the strongest fact about a name comes first, and what its registration needs now last', async () => {
  await registry.done('auction start tee.ee');
  await registry.done('retained add tee.ee --status reserved');
  await write(`update auctions set registration_code = ?2 where name = ?1`, 'tee.ee', 'c0de');
  await setAuction('tee.ee', 'payment_received', '2099-12-03');
  const centre = 'Only the auction centre knows the bidders and the winner.';
  expect(await answerAbout('tee.ee')).toBe(
    'tee.ee is reserved. It is to be registered by 3 Dec 2099, which the auction centre sets: it was sold at auction and is paid. ' +
      `${centre} Its registration needs the registration code of the auction now.`,
  );
  await registry.done('dispute open tee.ee --first-day 2026-01-01 --last-day 2099-12-31');
  await write(`update disputes set password = ?2 where name = ?1`, 'tee.ee', null);
  expect(await answerAbout('tee.ee')).toContain(
    ' Its registration is refused now: "tee.ee" is disputed.',
  );
  await write(`update disputes set password = ?2 where name = ?1`, 'tee.ee', 'sesame');
  const needs = 'Its registration needs the password of the dispute and the registration code';
  expect(await answerAbout('tee.ee')).toMatch(
    new RegExp(
      `^tee.ee is disputed: first day 1 Jan 2026, last day 31 Dec 2099 unless it is closed before; opened on [^.]+\\. ` +
        `It is reserved\\. It has an auction as well, with the status payment received\\. ${centre} ${needs} of the auction now\\.$`,
    ),
  );
  await registry.done('retained add tee.ee --status blocked');
  expect(await answerAbout('tee.ee')).toMatch(
    /^tee.ee is blocked\. It is disputed: .* Its registration is refused now: "tee.ee" is blocked\.$/,
  );
  await registry.done('domain import -', 'name,registrar,registrant\ntee.ee,ALPHA,ALPHA:2\n');
  const answer = await answerAbout('tee.ee');
  expect(answer).toMatch(/^tee.ee is registered with .* It is blocked\. It is disputed: /);
  expect(answer).not.toMatch(/its registration|sold at auction|auction centre/i);
});

test('a dispute that was closed before its first day was never in force, and is not said to have been', async () => {
  const days = '--first-day 2098-01-01 --last-day 2099-12-31';
  await registry.done(`dispute open vaidlus.ee ${days}`);
  expect(await answerAbout('vaidlus.ee')).toMatch(
    /^vaidlus.ee has a dispute to come: first day 1 Jan 2098, last day 31 Dec 2099 unless it is closed before;/,
  );
  await registry.done(['dispute', 'close', 'vaidlus.ee', '--reason', 'settled']);
  expect(await answerAbout('vaidlus.ee')).toMatch(
    /It had a dispute \(first day 1 Jan 2098, last day 31 Dec 2099\) that was closed on [^:]*, \d\d:\d\d UTC \(now\): settled\./,
  );
});

test('who disputes a name is for staff alone, with the comment', async () => {
  const open = ['dispute', 'open', 'vaidlus.ee', '--first-day', '2026-01-01'];
  await registry.done([...open, '--initiator', 'AS Merekool', '--comment', 'trademark']);
  const kept =
    'Do not tell the caller: it is disputed by “AS Merekool” with the comment “trademark”.';
  expect((await show('/name/vaidlus.ee')).text).toContain(kept);
  expect((await registry.run('name vaidlus.ee')).stdout).toContain(kept);
});

test('the reason of a status is told in words of staff', async () => {
  const change = ['contact', 'status', 'ALPHA:2', '--add', 'serverUpdateProhibited'];
  await registry.done([...change, '--note', 'court case 7']);
  expect((await show('/contact/ALPHA:2')).text).toContain(
    'reasons of statuses: none → the registry prohibits its change: court case 7',
  );
});

test('tables of one kind on one page have different labels', async () => {
  await registry.done('contact import - --registrar ALPHA', csvOf(person('ALPHA:8')));
  await registry.done('contact delete ALPHA:8 --yes');
  const { contact } = await registry.done('contact show ALPHA:1');
  const { html } = await show(`/person/${contact.uuid}`);
  const labels = [...html.matchAll(/role="region" aria-label="([^"]*)"/g)].map(([, one]) => one);
  expect(labels).toEqual(['contacts', 'domains', 'Former contacts with this code']);
});

test('a request about a contact without an identity is said of that contact alone', async () => {
  const nobody = { name: 'Keegi Teadmata', ident: '-', ident_country_code: 'FI' };
  const both = [person('ALPHA:U1', nobody), person('ALPHA:U2', nobody)];
  await registry.done('contact import - --registrar ALPHA', csvOf(...both));
  await registry.done([
    ...['disclosure', 'open', '--contact', 'ALPHA:U1', '--requester', 'Mati', '--basis', 'case 1'],
    ...['--identified-by', 'ID card', '--organization', 'Tax Board', '--fields', 'name'],
    '--confidential',
  ]);
  expect((await show('/contact/ALPHA:U1')).text).toContain('Do not tell the caller: Tax Board');
  expect((await show('/contact/ALPHA:U2')).text).not.toContain('Tax Board');
  expect((await show('/find?q=Keegi')).text).toMatch(
    /Do not tell the caller: .* of Keegi Teadmata ALPHA:U1 \. The page/,
  );
});

test('a former dispute is said by its days', async () => {
  await registry.done('dispute open endine.ee --first-day 2026-02-01 --last-day 2026-03-31');
  const days = 'disputed from 1 Feb 2026 until the end of 31 Mar 2026';
  expect((await show('/name/endine.ee')).text).toContain(days);
  expect((await registry.run('name endine.ee')).stdout).toContain(days);
});

test('a domain says since when it is on record, and when its registrar and its holder last changed', async () => {
  const answer = () => answerAbout('paju.ee');
  await registry.done('domain import -', 'name,registrar,registrant\npaju.ee,ALPHA,ALPHA:1\n');
  expect(await answer()).toMatch(/It is on record here since [^;]*\(now\)\. Its registrar can/);
  await registry.done('domain update paju.ee --registrant ALPHA:2');
  expect(await answer()).toMatch(
    /It is on record here since [^;]*; the contact of its holder last changed on [^;]*\./,
  );
  await registry.done('domain transfer paju.ee --to BETA --yes');
  expect(await answer()).toMatch(
    /since [^;]*; its registrar last changed on [^;]*; the contact of its holder last changed on /,
  );
  const { history } = await registry.done('history domain paju.ee');
  expect(history.length).toBeGreaterThan(2);
  const { request_id: removal } = await registry.done('domain remove paju.ee --yes');
  await registry.done(['history', 'revert', removal, '--yes']);
  expect(await answer()).toMatch(/since [^;]*, and again since [^;]*\.$/);
});

test('a domain that moved in says since when the former registry had it on record', async () => {
  await registry.done('domain import -', 'name,registrar,registrant\nsiil.ee,ALPHA,ALPHA:1\n');
  await write(
    `insert into history (occurred_at, subject, subject_key, action, actor_type, actor, changes)
     values ('2026-01-02T03:04:05.678Z', 'domain', ?, 'create', 'move_in', 'move-in (Operator olga)', '{}')`,
    'siil.ee',
  );
  const answer = await answerAbout('siil.ee');
  expect(answer).toContain('The former registry had it on record since ');
  expect(answer).not.toContain('on record here');
});

test('a value that turns the order of others is isolated, and its hidden characters are numbers, on every page', async () => {
  const name = '\u202eammaT\u202c אבג 1';
  const form = { code: 'ALPHA:RTL', ident: '38001085718' };
  await registry.done('contact import - --registrar ALPHA', csvOf(person(form.code, form)));
  await write(`update contacts set name = ? where code = 'ALPHA:RTL'`, name);
  const shown = '\\u{202e}ammaT\\u{202c} אבג 1';
  const { html } = await show('/contact/ALPHA:RTL');
  expect(html).toContain(`<h1><bdi>${shown}</bdi> (ALPHA:RTL)</h1>`);
  expect(html).toContain(`<bdi class="contact">ALPHA:RTL</bdi> (now <bdi>${shown}</bdi>)`);
  const pages = loopbackPages({ persistTo: registry.directory }, undefined);
  const hidden = encodeURIComponent('\u202eabc\u200b');
  for (const path of [
    '/',
    '/contact/ALPHA:RTL',
    '/find?q=38001085718',
    `/find?q=${hidden}`,
    `/contact/${hidden}`,
    `/name/${hidden}`,
    `/registrar/${hidden}`,
    `/request/${hidden}`,
    `/${hidden}`,
  ]) {
    const answer = await opening.run(openKept, () => pages.request(path));
    expect(await answer.text(), path).not.toMatch(/[\p{Cf}\u2028\u2029]/u);
  }
});

test('what was pasted into the search stays there without its hidden characters', async () => {
  const pages = loopbackPages({ persistTo: registry.directory }, undefined);
  const text = encodeURIComponent('\u202a+372 1\u202c');
  const answer = await opening.run(openKept, () => pages.request(`/find?q=${text}`));
  expect(await answer.text()).toContain('type="search" value="+372 1"');
});
