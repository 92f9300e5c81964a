import { beforeAll, expect, test } from 'vitest';
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
  const people = [person('ALPHA:1', checked), person('ALPHA:2')];
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
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
      .replaceAll('&#39;', "'"),
  };
}

/** Writes a row that no command of the operator can. */
async function write(statement: string, ...values: string[]) {
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
  const none = 'They have changed no contact and no domain.';
  expect((await show('/registrar/ALPHA')).text).toContain(`What its users changed ${none}`);
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
  const [, changes] = /What its users changed (.*) What happened/.exec(text)!;
  expect(changes).toMatch(
    /epp changed the contact .* phone: \+1\.1 → \+1\.5 .* ats of .* phone: \+1\.1 → \+1\.2/,
  );
  expect(changes).not.toMatch(/bruno|olga/);
  for (let n = 0; n < 20; n++) await entry('ALPHA', 'api_user', '7-ApiUser: ats', `+1.9${n}`);
  const after = (await show('/registrar/ALPHA')).html;
  expect(after.match(/→ \+1\.9/g)).toHaveLength(20);
  expect(after).not.toContain('→ +1.5');
});

test('a contact’s page says of every claim whether it is verified: when, by whom and how', async () => {
  const { text } = await show('/contact/ALPHA:1');
  const on = '2 Jan 2026, 03:04 UTC \\(.+? ago\\) by Operator test';
  expect(text).toMatch(new RegExp(`identity verified yes, on ${on}: eid, eidas, N-1 e-mail`));
  expect(text).toMatch(
    new RegExp(`e-mail verified no longer, it has changed since its check on ${on}: letter`),
  );
  expect(text).toMatch(new RegExp(`phone verified no, the check failed on ${on}: call`));
  expect(text).toContain('not checked name, address ');
});

test('a contact’s page lists who asked for its data, the newest first, and so does the tool', async () => {
  expect((await show('/contact/ALPHA:1')).text).not.toContain('Who asked for its data');
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
    /Who asked for its data .*disclosure 3 Bank Mati name, e-mail open yes disclosure 1 Police Mati name, e-mail refused .* no Who looked/,
  );
  expect(text).toContain('Its data were given to nobody on request.');
  expect(text).not.toContain('Court');
  for (const [id, to] of Object.entries({ 2: 'Court', 3: 'Bank (kept from the person)' })) {
    await registry.done(['disclosure', 'grant', id, '--to', `${registry.directory}/${id}.json`]);
    const contact = id === '2' ? 'ALPHA:2' : 'ALPHA:1';
    const answer = `Its data were given to ${to} on request.`;
    expect((await show(`/contact/${contact}`)).text).toContain(answer);
  }
  expect(html).toContain('href="/disclosure/1"');
});

test('a name’s answer says how its registrar can be reached, on the desk and in the tool', async () => {
  const answer = 'Its registrar can be reached at +372.6123456 or abi?a=b@alpha.example.';
  expect((await show('/name/tamm.ee')).text).toContain(answer);
  expect((await registry.run('name tamm.ee')).stdout).toContain(answer);
  expect((await show('/name/kask.ee')).text).not.toContain('can be reached');
});

test('a name in auction or after one says its deadline first, and who alone knows the bidders', async () => {
  await registry.done('auction start kohv.ee tee.ee');
  const set = (name: string, status: string, deadline: string | null) =>
    write(
      `update auctions set status = ?2, registration_deadline = nullif(?3, '') where name = ?1`,
      ...[name, status, deadline ?? ''],
    );
  const answerAbout = async (name: string) => {
    const { stdout } = await registry.run(['name', name]);
    return stdout.split('\n')[0];
  };
  const centre = 'Only the auction centre knows the bidders and the winner.';
  expect(await answerAbout('kohv.ee')).toMatch(
    new RegExp(`^kohv.ee has been in auction since .* ${centre} A registration`),
  );
  await set('kohv.ee', 'awaiting_payment', '2099-12-03');
  expect(await answerAbout('kohv.ee')).toMatch(
    new RegExp(`^kohv.ee must be registered by 3 Dec 2099, and is not paid yet: .* ${centre}`),
  );
  await set('kohv.ee', 'awaiting_payment', '2020-12-03');
  expect(await answerAbout('kohv.ee')).toMatch(
    /^kohv.ee should have been registered by 3 Dec 2020, and is not paid yet/,
  );
  await set('kohv.ee', 'awaiting_payment', null);
  expect(await answerAbout('kohv.ee')).toMatch(/^kohv.ee is not paid yet: it was sold/);
  await set('kohv.ee', 'payment_not_received', null);
  expect(await answerAbout('kohv.ee')).toContain(centre);
  await registry.done('retained add tee.ee --status reserved');
  expect(await answerAbout('tee.ee')).toMatch(
    /^tee.ee has been in auction since .* It is reserved\./,
  );
  expect(await answerAbout('tamm.ee')).not.toContain('auction centre');
});
