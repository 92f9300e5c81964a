import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readFileOf, row, smallRegistry } from './files.ts';
import { run, startMoves } from './moves.ts';

const moves = startMoves();

test('carries dirty values as they are, and names those that today would be refused', async () => {
  const dirty = {
    ...{
      name: ' Mari\u0007  Maa\u00adsikas ',
      email: 'kell',
      phone: '',
      ident: '',
      ident_type: 'passport',
    },
    ...{ ident_country_code: 'AN', country_code: 'Eesti', zip: '1'.repeat(40), city: '' },
    ...{
      statuses: '["ok","vana staatus"]',
      status_notes: '{"ok":"märge \\"x\\"","vana":null}',
    },
    ...{ disclosed_attributes: '["phone"]', created_at: '1999-12-31 23:59:59+02' },
  };
  const files = {
    registrars: [row.registrar(1, 'ALPHA')],
    contacts: [row.contact(5, 'ALPHA', dirty)],
  };
  const { lines } = await moves.moveIn(files);
  expect(lines.map((line) => line.split(' ')[2]).sort()).toEqual(
    [
      'name',
      'email',
      'phone',
      'ident',
      'ident_type',
      'ident_country_code',
      'country_code',
      'zip',
      'disclosed_attributes',
    ].sort(),
  );
  expect(lines).toContain('contacts.csv:2 ALPHA:5 phone "" carried: is missing');
  const { contacts } = moves.rows();
  expect(contacts).toEqual([
    expect.objectContaining({
      ...{ name: dirty.name, email: 'kell', phone: '', ident: '', ident_type: 'passport' },
      ...{ country_code: 'Eesti', city: null, statuses: '["vana staatus"]' },
      ...{ status_notes: '{"ok":"märge \\"x\\"","vana":""}', disclosed_attributes: '["phone"]' },
      created_at: '1999-12-31T21:59:59.000Z',
    }),
  ]);
  expect(await moves.reconcile()).toMatchObject({ status: 0, equal: true });
});

test('leaves out the statuses that follow from what is stored', async () => {
  const statuses = ['["ok","linked"]', '["linked"]', '["ok","clientDeleteProhibited"]'];
  const contacts = statuses.map((each, n) => row.contact(80 + n, 'ALPHA', { statuses: each }));
  await moves.moveIn({ registrars: [row.registrar(1, 'ALPHA')], contacts });
  const rows = moves.rows().contacts!;
  expect(rows.map((each) => each.statuses)).toEqual(['[]', '[]', '["clientDeleteProhibited"]']);
  expect(await moves.reconcile()).toMatchObject({ status: 0, equal: true });
});

test('writes the country of an identity as its person is found by it, whatever its case and spaces', async () => {
  const countries = ['ee', ' EE', 'EE', 'Eesti'];
  const contacts = countries.map((country, n) =>
    row.contact(90 + n, 'ALPHA', { ident: '38001085718', ident_country_code: country }),
  );
  const { lines } = await moves.moveIn({ registrars: [row.registrar(1, 'ALPHA')], contacts });
  const why = 'is now in upper case, without spaces around it';
  expect(lines).toEqual([
    `contacts.csv:2 ALPHA:90 ident_country_code "ee" changed: ${why}`,
    `contacts.csv:3 ALPHA:91 ident_country_code " EE" changed: ${why}`,
    expect.stringContaining('ALPHA:93 ident_country_code "Eesti" carried'),
  ]);
  const rows = moves.rows().contacts!;
  const stored = rows.map(({ ident_country_code }) => ident_country_code);
  expect(stored).toEqual(['EE', 'EE', 'EE', 'Eesti']);
  expect(await moves.reconcile()).toMatchObject({ status: 0, equal: true });
});

test('refuses only what cannot be told apart or cannot be held, and keeps the domains', async () => {
  const files = smallRegistry();
  files.registrars!.push(row.registrar(8, 'beta'), row.registrar(10, ''));
  files['api-users']!.push(
    row.user('gone', '#99'),
    row.user('lower', 'beta'),
    row.user('ei', 'BETA', { password: '' }),
  );
  files['allowed-ips']!.push(
    { registrar: '#99', address: '192.0.2.9' },
    { registrar: 'ALPHA', address: 'x' },
  );
  files.contacts!.push(
    row.contact(41, '#99'),
    row.contact(42, 'ALPHA', { code: 'alpha:11' }),
    row.contact(43, 'ALPHA', { code: '' }),
    row.contact(11, 'ALPHA', { code: 'ALPHA:44', uuid: '00000000-0000-4000-8000-0000000000FF' }),
  );
  files.domains!.push(row.domain('-.ee', 'ALPHA'), row.domain('kadunud.ee', '#99'));
  files['domain-contacts']!.push(
    row.link('pirn.ee', '#99:41', 'admin'),
    row.link('pirn.ee', 'alpha:11', 'admin'),
    row.link('pirn.ee', 'BETA:15', 'omanik'),
    row.link('puudub.ee', 'BETA:15', 'tech'),
    row.link('pirn.ee', 'ALPHA:11', 'registrant'),
  );
  files.auctions!.push(row.auction(29, 'VANA.ee', 'started'), row.auction(30, 'x.ee', 'unknown'));
  const { lines } = await moves.moveIn(files);
  expect(lines).toEqual([
    'allowed-ips.csv:4 #99 registrar "#99" refused: there is no such row in registrars',
    'allowed-ips.csv:5 ALPHA address "x" changed: is not an address or CIDR range; it is now 0.0.0.0/32, which nobody has',
    'api-users.csv:3 gone registrar "#99" refused: there is no such registrar',
    'api-users.csv:4 lower registrar "beta" refused: another line of registrars.csv has the same in upper case',
    'api-users.csv:5 ei  "" refused: has no password',
    'auctions.csv:4 00000000-0000-4000-8000-000000000029 name "VANA.ee" refused: an earlier line has the same and the status started',
    'auctions.csv:5 00000000-0000-4000-8000-000000000030 status "unknown" refused: is not one of started, awaiting_payment, no_bids, payment_received, payment_not_received, domain_registered, domain_not_registered',
    'contacts.csv:5 #99:41 registrar "#99" refused: there is no such registrar',
    'contacts.csv:6 ALPHA:11 code "alpha:11" refused: an earlier line has the same',
    'contacts.csv:7  code "" refused: is missing',
    'contacts.csv:8 ALPHA:44 id "11" refused: an earlier line has the same',
    'domain-contacts.csv:6 pirn.ee contact "#99:41" refused: its row in contacts.csv is not moved in',
    'domain-contacts.csv:7 pirn.ee contact "alpha:11" refused: another line of contacts.csv has the same in upper case',
    'domain-contacts.csv:8 pirn.ee role "omanik" refused: is not one of registrant, admin, tech',
    'domain-contacts.csv:9 puudub.ee domain "puudub.ee" refused: there is no such row in domains',
    'domain-contacts.csv:10 pirn.ee contact "ALPHA:11" refused: an earlier line has another registrant',
    'domains.csv:4  name "-.ee" refused: is not a domain name',
    'domains.csv:5 kadunud.ee registrar "#99" refused: there is no such registrar',
    'registrars.csv:4 BETA code "beta" refused: an earlier line has the same',
    'registrars.csv:5  code "" refused: is missing',
  ]);
  const { differences, ...proof } = await moves.reconcile();
  expect(proof).toMatchObject({ status: 0, unreported: 0, equal: false });
  expect(differences).toHaveLength(19);
});

test('gives contacts and domains of a registrar that is gone to another, if the operator says so', async () => {
  const files = smallRegistry();
  files.contacts!.push(row.contact(41, '#99', { code: 'VANA:1' }));
  files.domains!.push(row.domain('kadunud.ee', '#99'));
  files['domain-contacts']!.push(row.link('kadunud.ee', 'VANA:1', 'registrant'));
  files['api-users']!.push(row.user('gone', '#99'));
  const { lines } = await moves.moveIn(files, '--orphans-to', 'BETA');
  expect(lines).toEqual([
    'api-users.csv:3 gone registrar "#99" refused: there is no such registrar',
    'contacts.csv:5 VANA:1 registrar "#99" changed: there is no such registrar; it is now with BETA',
    'domains.csv:4 kadunud.ee registrar "#99" changed: there is no such registrar; it is now with BETA',
  ]);
  const report = readFileOf(moves.directory, 'move-in-report');
  expect(report.map(({ registrar }) => registrar)).toEqual(['#99', 'BETA', 'BETA']);
  const { contacts, domains } = moves.rows();
  expect(contacts).toContainEqual(expect.objectContaining({ code: 'VANA:1', registrar_id: 9 }));
  expect(domains).toContainEqual(expect.objectContaining({ name: 'kadunud.ee', registrar_id: 9 }));
  const unknown = await run('move-in', moves.directory, '--dry-run', '--orphans-to', 'GAMMA');
  expect(unknown).toMatchObject({
    status: 1,
    stderr: 'refused: there is no registrar "GAMMA" [orphans_to]\n',
  });
});

test('refuses what belongs to a registrar that the file has, but that is not moved in', async () => {
  const { lines } = await moves.moveIn(
    {
      registrars: [row.registrar(1, 'ALPHA'), row.registrar(1, 'EIS'), row.registrar(0, 'BETA')],
      contacts: [row.contact(11, 'EIS'), row.contact(12, 'BETA')],
      domains: [row.domain('pirn.ee', 'EIS')],
    },
    '--orphans-to',
    'ALPHA',
  );
  const why = 'refused: its row in registrars.csv is not moved in';
  expect(lines.filter((line) => !line.startsWith('registrars.csv'))).toEqual([
    `contacts.csv:2 EIS:11 registrar "EIS" ${why}`,
    `contacts.csv:3 BETA:12 registrar "BETA" ${why}`,
    `domains.csv:2 pirn.ee registrar "EIS" ${why}`,
  ]);
});

test('leaves out times of a contact that are in the future', async () => {
  const { registrars } = smallRegistry();
  const future = '2999-01-01 00:00:00';
  const contacts = [row.contact(11, 'ALPHA', { created_at: future, updated_at: future })];
  const { lines } = await moves.moveIn({ registrars: registrars!, contacts });
  const why = 'changed: is in the future; it is left out';
  const made = 'changed: made here because none is taken from the file';
  expect(lines.filter((line) => line.includes('ALPHA:11'))).toEqual([
    `contacts.csv:2 ALPHA:11 created_at "${future}" ${why}`,
    `contacts.csv:2 ALPHA:11 updated_at "${future}" ${why}`,
    `contacts.csv:2 ALPHA:11 created_at "" ${made}`,
    `contacts.csv:2 ALPHA:11 updated_at "" ${made}`,
  ]);
  const [contact] = moves.rows().contacts!;
  expect(contact!.updated_at).toBe(contact!.created_at);
  expect(Date.parse(contact!.created_at!)).toBeLessThanOrEqual(Date.now());
  expect(await moves.reconcile()).toMatchObject({ status: 0, equal: true });
});

test('closes a registrar none of whose addresses can be read, and goes on', async () => {
  const files = smallRegistry();
  files['allowed-ips'] = [
    { registrar: 'ALPHA', address: 'x' },
    { registrar: 'ALPHA', address: 'y' },
    { registrar: 'BETA', address: '192.0.2.1' },
  ];
  const { lines } = await moves.moveIn(files);
  const why = 'is not an address or CIDR range; it is now 0.0.0.0/32, which nobody has';
  expect(lines).toEqual([
    `allowed-ips.csv:2 ALPHA address "x" changed: ${why}`,
    `allowed-ips.csv:3 ALPHA address "y" changed: ${why}`,
    'allowed-ips.csv: ALPHA  "" carried: has only 0.0.0.0/32, which nobody has',
  ]);
  const { registrars } = moves.rows();
  expect(registrars).toMatchObject([
    { allowed_ips: '["0.0.0.0/32"]' },
    { allowed_ips: '["192.0.2.1"]' },
  ]);
});

test('a dry run writes the report alone', async () => {
  const { counts } = await moves.moveIn(smallRegistry(), '--dry-run');
  expect(counts).toContainEqual(['contacts', 3, 0]);
  expect(existsSync(moves.file)).toBe(false);
});

test('does not add a reserved name whose last day is over', async () => {
  const { lines } = await moves.moveIn({
    reserved: [row.reserved('kinni.ee', { last_day: '2020-01-01' }), row.reserved('riigikogu.ee')],
  });
  expect(lines).toEqual(['reserved.csv:2 kinni.ee last_day "2020-01-01" refused: is over']);
  expect(moves.rows().retained_domains).toMatchObject([{ name: 'riigikogu.ee' }]);
  expect(await moves.reconcile()).toMatchObject({ status: 0, equal: true });
});

test('moves passwords of names as registrations give them, and leaves out what nobody can give', async () => {
  const password = ' so\u0303na ';
  const { lines } = await moves.moveIn({
    reserved: [
      row.reserved('kinni.ee', { password }),
      row.reserved('sakk.ee', { password: 'a\tb' }),
    ],
    disputes: [row.dispute('tuli.ee', '2016-01-01', { password })],
  });
  const why = 'changed: is now trimmed and composed (NFC), as a registration gives it';
  expect(lines).toEqual([
    `disputes.csv:2 tuli.ee 2016-01-01 2015-03-04T05:06:07.123Z password "" ${why}`,
    `reserved.csv:2 kinni.ee password "" ${why}`,
    'reserved.csv:3 sakk.ee password "" changed: cannot be given in a registration; it is left out',
  ]);
  const { retained_domains: names, disputes } = moves.rows();
  expect([names, disputes]).toMatchObject([
    [{ password: 'sõna' }, { password: null }],
    [{ password: 'sõna' }],
  ]);
});

test('a demand that what was verified meets does not move in', async () => {
  const check = '{"id":"v","method":"eid","verified_at":"2026-01-02T03:04:05Z"}';
  const demand = (...claims: string[]) => JSON.stringify({ claims, by: '2027-01-31' });
  await moves.moveIn({
    registrars: [row.registrar(1, 'ALPHA')],
    contacts: [demand('identity'), demand('identity', 'email')].map((verification_demand, n) =>
      row.contact(5 + n, 'ALPHA', { identity_verification: check, verification_demand }),
    ),
  });
  const demands = moves.rows().contacts!.map((one) => one.verification_demand);
  expect(demands).toEqual([null, demand('identity', 'email')]);
  expect(await moves.reconcile()).toMatchObject({ status: 0, equal: true });
});

test('leaves out what is malformed about verifications, and says why', async () => {
  const given = {
    identity_verification: 'jah',
    name_verification: '{"id":"1","verified_at":"2026-01-02T03:04:05Z"}',
    email_verification: '{"id":"1","method":"e","verified_at":"2999-01-02T03:04:05Z"}',
    phone_verification: '{"id":7,"method":"sms","verified_at":"2026-01-02T03:04:05Z"}',
    address_verification: '{"id":"1","method":"m","verified_at":"eile"}',
    verification_demand: '{"claims":["age"],"by":"2027-01-31"}',
    identity_request: '[]',
  };
  const { lines } = await moves.moveIn({
    registrars: [row.registrar(1, 'ALPHA')],
    contacts: [row.contact(5, 'ALPHA', given)],
  });
  const whys = lines.map((line) => /ALPHA:5 (\w+) .* changed: (.*)/.exec(line)!.slice(1));
  const timestamp = 'is not an ISO 8601 timestamp such as 2026-01-31T12:00:00.000Z; it is left out';
  expect(Object.fromEntries(whys)).toEqual({
    identity_verification: 'is not a verification, a JSON object; it is left out',
    name_verification: 'method is not text; it is left out',
    email_verification: 'verified_at is in the future; it is left out',
    phone_verification: 'id is not text; it is left out',
    address_verification: `verified_at ${timestamp}`,
    verification_demand: 'claims may be identity, name, email, phone, address; it is left out',
    identity_request: 'id is not text; it is left out',
  });
  const { contacts } = moves.rows();
  const nothing = Object.fromEntries(Object.keys(given).map((column) => [column, null]));
  expect(contacts).toMatchObject([nothing]);
  expect(await moves.reconcile()).toMatchObject({ status: 0, equal: true });
});

test('keeps what is well-formed about verifications in the form in which it is stored', async () => {
  const given = '{"verified_at":"2026-01-02T05:04:05.678+02:00","extra":1,"method":"eid","id":"v"}';
  await moves.moveIn({
    registrars: [row.registrar(1, 'ALPHA')],
    contacts: [row.contact(5, 'ALPHA', { identity_verification: given })],
  });
  const [contact] = moves.rows().contacts!;
  expect(contact!.identity_verification).toBe(
    '{"id":"v","method":"eid","framework":null,"reference":null,"result":"success","verified_at":"2026-01-02T03:04:05.678Z","verified_by":null}',
  );
});
