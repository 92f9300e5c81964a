import { appendFileSync, existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { readFileOf, row, smallRegistry, writeFiles } from './files.ts';
import { run, startMoves } from './moves.ts';

const moves = startMoves(beforeAll);
/** For the tests that move in files of their own. */
const own = startMoves();
/** The lines of the first report, and every row of every table then. */
let first: string[];
// biome-ignore lint/suspicious/noExplicitAny: every row of every table
let held: Record<string, any[]>;
/** The registrars of the lines in the first report, and the proof. */
let registrarOf: Map<string, string>;
let proof: Awaited<ReturnType<typeof moves.reconcile>>;

const dirty = {
  ...{ name: ' Mari\u0007  Maa\u00adsikas ', email: 'kell', phone: '', ident: '' },
  ...{ ident_type: 'passport', ident_country_code: 'AN', country_code: 'Eesti' },
  ...{ zip: '1'.repeat(40), city: '', statuses: '["ok","vana staatus"]' },
  ...{ status_notes: '{"ok":"märge \\"x\\"","vana":null}', disclosed_attributes: '["phone"]' },
  created_at: '1999-12-31 23:59:59+02',
};
const malformed = {
  identity_verification: 'jah',
  name_verification: '{"id":"1","verified_at":"2026-01-02T03:04:05Z"}',
  email_verification: '{"id":"1","method":"e","verified_at":"2999-01-02T03:04:05Z"}',
  phone_verification: '{"id":7,"method":"sms","verified_at":"2026-01-02T03:04:05Z"}',
  address_verification: '{"id":"1","method":"m","verified_at":"eile"}',
  verification_demand: '{"claims":["age"],"by":"2027-01-31"}',
  identity_request: '[]',
};
const check = '{"verified_at":"2026-01-02T05:04:05.678+02:00","extra":1,"method":"eid","id":"v"}';
const demand = (...claims: string[]) => JSON.stringify({ claims, by: '2027-01-31' });
const statuses = ['["ok","linked"]', '["linked"]', '["ok","clientDeleteProhibited"]'];
const countries = ['ee', ' EE', 'EE', 'Eesti'];
const future = '2999-01-01 00:00:00';
const password = ' so\u0303na ';
const digests = ['b2', 'c3'].map((digits) => digits.repeat(32)) as [string, string];

beforeAll(async () => {
  const files = smallRegistry();
  files.registrars!.push(
    row.registrar(8, 'beta'),
    row.registrar(10, 'GAMMA'),
    row.registrar(7, 'EIS'),
    row.registrar(0, 'NULL'),
    row.registrar(20, 'DELTA'),
  );
  files['api-users']!.push(row.user('gone', '#99'));
  files['allowed-ips']!.push(
    { registrar: 'DELTA', address: 'x' },
    { registrar: 'DELTA', address: 'y' },
  );
  files.certificates!.push(
    row.certificate('mari', 'd4'.repeat(32)),
    row.certificate('ats', digests[0], { expires_at: '2020-01-01' }),
    row.certificate('ats', 'b2:c3'),
    row.certificate('ats', ''),
    row.certificate('ats', digests[1]),
    row.certificate('ats', digests[1]),
  );
  const of = (id: number, more = {}) => row.contact(id, 'ALPHA', more);
  files.contacts!.push(
    of(11),
    row.contact(41, 'beta', { code: 'VANA:1' }),
    of(50, { uuid: 'x' }),
    of(50),
    of(51, { uuid: '', auth_info: '', created_at: '', updated_at: '' }),
    row.contact(42, '#99', { code: 'VANA:2' }),
    row.contact(61, 'EIS'),
    row.contact(62, 'NULL'),
    of(600, dirty),
    ...statuses.map((each, n) => of(610 + n, { statuses: each })),
    ...countries.map((country, n) => of(620 + n, { ident_country_code: country })),
    of(630, { created_at: future, updated_at: future }),
    ...[demand('identity'), demand('identity', 'email')].map((verification_demand, n) =>
      of(640 + n, { identity_verification: check, verification_demand }),
    ),
    of(650, malformed),
    of(660, {
      phone: '',
      phone_verification: check,
      street: 'Pikk 1',
      address_verification: check,
    }),
  );
  files.domains!.push(
    row.domain('ploom.ee', 'beta'),
    row.domain('kirss.ee', 'ALPHA'),
    row.domain('kadunud.ee', '#99'),
    row.domain('vaarikas.ee', 'EIS'),
  );
  files['domain-contacts']!.push(
    row.link('kirss.ee', 'ALPHA:99', 'registrant'),
    row.link('kirss.ee', 'ALPHA:50', 'registrant'),
    row.link('kirss.ee', 'ALPHA:50', 'registrant'),
    row.link('puudub.ee', 'ALPHA:99', 'tech'),
    row.link('kadunud.ee', 'VANA:2', 'registrant'),
  );
  files.reserved!.push(
    row.reserved('igavene.ee', { last_day: 'infinity' }),
    row.reserved('olematu.ee', { last_day: '-infinity' }),
    row.reserved('aegunud.ee', { last_day: '2020-01-01' }),
    row.reserved('kinni.ee', { password }),
    row.reserved('sakk.ee', { password: 'a\tb' }),
  );
  files.disputes = [
    row.dispute('tuli.ee', '2016-01-01', { created_at: '', initiator: 'Mari' }),
    row.dispute('tuli.ee', '2016-01-01', { created_at: '', initiator: 'Jüri' }),
    row.dispute('tuli.ee', '2017-01-01', { last_day: 'infinity' }),
    row.dispute('tuli.ee', '2017-01-01', { last_day: '9999-12-31' }),
    row.dispute('vesi.ee', '2016-01-01', { password }),
  ];
  first = (await moves.moveIn(files, '--fallback-registrar', 'ALPHA')).lines;
  held = moves.rows();
  const report = readFileOf(moves.directory, 'move-in-report');
  registrarOf = new Map(report.map(({ key, registrar }) => [key!, registrar!]));
  proof = await moves.reconcile('--fallback-registrar', 'ALPHA');
});

function linesAbout(...keys: string[]): string[] {
  return first.filter((line) => keys.includes(line.split(' ')[1]!));
}

const contactsFrom = (id: number, count = 1) =>
  held.contacts!.filter((contact) => contact.id >= id && contact.id < id + count);

function contactsOf(domain: string): string[] {
  const { id } = held.domains!.find(({ name }) => name === domain);
  const links = held.domain_contacts!.filter(({ domain_id }) => domain_id === id);
  return links.map(({ contact_id, role }) => `${role} ${contact_id}`).sort();
}

test('names each difference between the files and what was moved in', () => {
  expect(proof).toMatchObject({ status: 0, unreported: 0, equal: false });
});

test('carries dirty values as they are, and names those that today would be refused', () => {
  const columns =
    'country_code disclosed_attributes email ident ident_country_code ident_type name phone zip';
  const lines = linesAbout('ALPHA:600');
  expect(lines.map((line) => line.split(' ')[2]).sort()).toEqual(columns.split(' '));
  expect(lines).toContain('contacts.csv:13 ALPHA:600 phone "" carried: is missing');
  expect(contactsFrom(600)).toMatchObject([
    {
      ...{ name: dirty.name, email: 'kell', phone: '', ident: '', ident_type: 'passport' },
      ...{ country_code: 'Eesti', city: null, statuses: '["vana staatus"]' },
      ...{ status_notes: '{"ok":"märge \\"x\\"","vana":""}', disclosed_attributes: '["phone"]' },
      created_at: '1999-12-31T21:59:59.000Z',
    },
  ]);
});

test('leaves out the statuses that follow from what is stored', () => {
  const stored = contactsFrom(610, 3).map((each) => each.statuses);
  expect(stored).toEqual(['[]', '[]', '["clientDeleteProhibited"]']);
});

test('writes the country of an identity as its person is found by it, whatever its case and spaces', () => {
  const why = 'is now in upper case, without spaces around it';
  expect(linesAbout('ALPHA:620', 'ALPHA:621', 'ALPHA:622', 'ALPHA:623')).toEqual([
    `contacts.csv:17 ALPHA:620 ident_country_code "ee" changed: ${why}`,
    `contacts.csv:18 ALPHA:621 ident_country_code " EE" changed: ${why}`,
    expect.stringContaining('ALPHA:623 ident_country_code "Eesti" carried'),
  ]);
  const stored = contactsFrom(620, 4).map((each) => each.ident_country_code);
  expect(stored).toEqual(['EE', 'EE', 'EE', 'Eesti']);
});

test('leaves out times of a contact that are in the future', () => {
  const why = 'changed: is in the future; it is left out';
  const made = 'changed: made here because none is taken from the file';
  expect(linesAbout('ALPHA:630')).toEqual([
    `contacts.csv:21 ALPHA:630 created_at "${future}" ${why}`,
    `contacts.csv:21 ALPHA:630 updated_at "${future}" ${why}`,
    `contacts.csv:21 ALPHA:630 created_at "" ${made}`,
    `contacts.csv:21 ALPHA:630 updated_at "" ${made}`,
  ]);
  const [contact] = contactsFrom(630);
  expect(contact.updated_at).toBe(contact.created_at);
  expect(Date.parse(contact.created_at)).toBeLessThanOrEqual(Date.now());
});

test('keeps what is well-formed about verifications as it is stored here', () => {
  const stored =
    '{"id":"v","method":"eid","framework":null,"reference":null,"result":"success","verified_at":"2026-01-02T03:04:05.678Z","verified_by":null}';
  expect(contactsFrom(640, 2)).toMatchObject([
    { identity_verification: stored, verification_demand: demand('identity') },
    { identity_verification: stored, verification_demand: demand('identity', 'email') },
  ]);
});

test('leaves out what is malformed about verifications, and says why', () => {
  const whys = linesAbout('ALPHA:650').map((line) =>
    /ALPHA:650 (\w+) .* changed: (.*); it is left out$/.exec(line)!.slice(1),
  );
  expect(Object.fromEntries(whys)).toEqual({
    identity_verification: 'is not a verification, a JSON object',
    name_verification: 'method is not text',
    email_verification: 'verified_at is in the future',
    phone_verification: 'id is not text',
    address_verification:
      'verified_at is not an ISO 8601 timestamp such as 2026-01-31T12:00:00.000Z',
    verification_demand: 'claims may be identity, name, email, phone, address',
    identity_request: 'id is not text',
  });
  const nothing = Object.fromEntries(Object.keys(malformed).map((column) => [column, null]));
  expect(contactsFrom(650)).toMatchObject([nothing]);
});

test('leaves out a check of what the contact does not have', () => {
  expect(linesAbout('ALPHA:660')).toContainEqual(
    expect.stringMatching(
      / phone_verification .* changed: is of a contact without phone; it is left out$/,
    ),
  );
  expect(contactsFrom(660)).toMatchObject([
    { phone_verification: null, address_verification: expect.stringContaining('"success"') },
  ]);
});

test('closes a registrar none of whose addresses can be read, and goes on', () => {
  const why = 'is not an address or CIDR range; it is now 0.0.0.0/32, which nobody has';
  expect(linesAbout('DELTA')).toEqual([
    `allowed-ips.csv:4 DELTA address "x" changed: ${why}`,
    `allowed-ips.csv:5 DELTA address "y" changed: ${why}`,
    'allowed-ips.csv: DELTA  "" carried: has only 0.0.0.0/32, which nobody has',
  ]);
  expect(held.registrars).toContainEqual(
    expect.objectContaining({ code: 'DELTA', allowed_ips: '["0.0.0.0/32"]' }),
  );
});

test('refuses a certificate of a user who does not move in, and one that has ended', () => {
  expect(first.filter((line) => line.startsWith('certificates'))).toEqual([
    'certificates.csv:3  username "mari" refused: there is no such API user',
    `certificates.csv:4 ats ${digests[0]} expires_at "2020-01-01" refused: is over`,
    'certificates.csv:5  fingerprint "b2:c3" refused: is not the SHA-256 of a certificate, in hexadecimal',
    'certificates.csv:6  fingerprint "" refused: is missing',
    `certificates.csv:8 ats ${digests[1]} username "ats" refused: an earlier line has the same`,
  ]);
  const kept = held.certificates!.map(({ fingerprint }) => fingerprint);
  expect(kept).toEqual(['a1'.repeat(32), digests[1]]);
});

test('carries what refers to a row that is twice, exactly the same', () => {
  expect(linesAbout('ALPHA:11')).toEqual([
    'contacts.csv:5 ALPHA:11 code "ALPHA:11" refused: an earlier line has the same',
  ]);
  expect(contactsOf('õun.ee')).toEqual(['admin 12', 'registrant 11']);
});

test('gives what belongs to a registrar that is gone, or to its twin, to the one for orphans', async () => {
  const twin = 'another line of registrars.csv has the same in upper case; it is now with ALPHA';
  const gone = 'there is no such registrar; it is now with ALPHA';
  expect(linesAbout('gone', 'VANA:1', 'VANA:2', 'ploom.ee', 'kadunud.ee')).toEqual([
    'api-users.csv:3 gone registrar "#99" refused: there is no such registrar',
    `contacts.csv:6 VANA:1 registrar "beta" changed: ${twin}`,
    `contacts.csv:10 VANA:2 registrar "#99" changed: ${gone}`,
    `domains.csv:4 ploom.ee registrar "beta" changed: ${twin}`,
    `domains.csv:6 kadunud.ee registrar "#99" changed: ${gone}`,
  ]);
  const named = ['gone', 'VANA:1', 'VANA:2', 'kadunud.ee'].map((key) => registrarOf.get(key));
  expect(named).toEqual(['#99', 'ALPHA', 'ALPHA', 'ALPHA']);
  expect(contactsFrom(41, 2)).toMatchObject([{ registrar_id: 7 }, { registrar_id: 7 }]);
  expect(contactsOf('kadunud.ee')).toEqual(['registrant 42']);
  const unknown = await run(
    'move-in',
    moves.directory,
    '--dry-run',
    '--fallback-registrar',
    'NOBODY',
  );
  expect(unknown).toMatchObject({
    status: 1,
    stderr: 'refused: there is no registrar "NOBODY" [fallback_registrar]\n',
  });
});

test('refuses what belongs to a registrar that the file has, but that is not moved in', () => {
  const why = 'refused: its row in registrars.csv is not moved in';
  expect(linesAbout('EIS:61', 'NULL:62', 'vaarikas.ee')).toEqual([
    `contacts.csv:11 EIS:61 registrar "EIS" ${why}`,
    `contacts.csv:12 NULL:62 registrar "NULL" ${why}`,
    `domains.csv:7 vaarikas.ee registrar "EIS" ${why}`,
  ]);
});

test('lets no refused row take the place of a good one', () => {
  expect(linesAbout('ALPHA:50', 'kirss.ee')).toEqual([
    'contacts.csv:7 ALPHA:50 uuid "x" refused: is not a UUID',
    'domain-contacts.csv:6 kirss.ee contact "ALPHA:99" refused: there is no such row in contacts',
    'domain-contacts.csv:8 kirss.ee contact "ALPHA:50" refused: an earlier line has the same',
  ]);
  expect(contactsOf('kirss.ee')).toEqual(['registrant 50']);
});

test('says of each line once that it is refused', () => {
  expect(linesAbout('puudub.ee')).toHaveLength(1);
});

test('names the values that are made here', () => {
  const why = 'made here because none is taken from the file';
  expect(linesAbout('ALPHA:51')).toEqual(
    ['uuid', 'auth_info', 'created_at', 'updated_at'].map(
      (column) => `contacts.csv:9 ALPHA:51 ${column} "" changed: ${why}`,
    ),
  );
});

test('reads the last day and the password of a name as they are stored here', () => {
  const why = 'changed: is now trimmed and composed (NFC), as a registration gives it';
  expect([
    ...linesAbout('igavene.ee', 'olematu.ee', 'aegunud.ee', 'kinni.ee', 'sakk.ee', 'vesi.ee'),
  ]).toEqual([
    `disputes.csv:6 vesi.ee 2016-01-01 2015-03-04T05:06:07.123Z password "" ${why}`,
    'reserved.csv:4 olematu.ee last_day "-infinity" refused: is an end before all time',
    'reserved.csv:5 aegunud.ee last_day "2020-01-01" refused: is over',
    `reserved.csv:6 kinni.ee password "" ${why}`,
    'reserved.csv:7 sakk.ee password "" changed: cannot be given in a registration; it is left out',
  ]);
  expect(held.retained_domains!.filter(({ status }) => status === 'reserved')).toMatchObject([
    { name: 'riigikogu.ee' },
    { name: 'igavene.ee', last_day: null },
    { name: 'kinni.ee', password: 'sõna' },
    { name: 'sakk.ee', password: null },
  ]);
  expect(held.disputes!.at(-1)).toMatchObject({ name: 'vesi.ee', password: 'sõna' });
});

test('tells disputes of a name apart that have the same days, or no time', () => {
  const made = 'created_at "" changed: made here because none is taken from the file';
  expect(linesAbout('tuli.ee')).toEqual([
    `disputes.csv:2 tuli.ee 2016-01-01 2016-01-01T00:00:00.000Z ${made}`,
    `disputes.csv:3 tuli.ee 2016-01-01 2016-01-01T00:00:00.001Z ${made}`,
    'disputes.csv:5 tuli.ee 2017-01-01 2015-03-04T05:06:07.124Z created_at "2015-03-04 05:06:07.123456" changed: is now later, because an earlier line has the same',
  ]);
  const [mari, jyri, ...others] = held.disputes!.filter(({ name }) => name === 'tuli.ee');
  expect([mari.initiator, jyri.initiator]).toEqual(['Mari', 'Jüri']);
  expect(others.map((each) => each.last_day)).toEqual(['9999-12-31', '9999-12-31']);
});

test('records a domain without a registrant as one that has none', () => {
  const { changes } = held.history!.find(({ subject_key: key }) => key === 'ploom.ee');
  expect(JSON.parse(changes)).not.toHaveProperty('registrant');
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
  const { lines } = await own.moveIn(files);
  expect(lines).toEqual([
    'allowed-ips.csv:4 #99 registrar "#99" refused: there is no such row in registrars',
    'allowed-ips.csv:5 ALPHA address "x" changed: is not an address or CIDR range; it is now 0.0.0.0/32, which nobody has',
    'api-users.csv:3 gone registrar "#99" refused: there is no such registrar',
    'api-users.csv:4 lower registrar "beta" refused: another line of registrars.csv has the same in upper case',
    'api-users.csv:5 ei password "" refused: is missing',
    'auctions.csv:4 00000000-0000-4000-8000-000000000029 name "VANA.ee" refused: an earlier line has the same with the status started',
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
    'domains.csv:4  name "-.ee" refused: is not a domain name: it has a part that starts or ends with a hyphen',
    'domains.csv:5 kadunud.ee registrar "#99" refused: there is no such registrar',
    'registrars.csv:4 BETA code "beta" refused: an earlier line has the same',
    'registrars.csv:5  code "" refused: is missing',
  ]);
  const { differences, ...proof } = await own.reconcile();
  expect(proof).toMatchObject({ status: 0, unreported: 0, equal: false });
  expect(differences).toHaveLength(19);
});

test('a dry run writes the report alone', async () => {
  const { counts } = await own.moveIn(smallRegistry(), '--dry-run');
  expect(counts).toContainEqual(['contacts', 3, 0]);
  expect(existsSync(own.file)).toBe(false);
});

test('gives ids to registrars without one after all others have theirs', async () => {
  await own.moveIn({
    registrars: [row.registrar(1, 'ALPHA', { id: '' }), row.registrar(1, 'BETA')],
  });
  expect(own.rows().registrars).toMatchObject([
    { id: 1, code: 'BETA' },
    { id: 2, code: 'ALPHA' },
  ]);
});

test.each([
  ['a field too many', 'BETA,192.0.2.2,x\n'],
  ['a field too few', 'BETA\n'],
  ['a blank after the code', 'BETA ,192.0.2.2\n'],
])('keeps a registrar closed whose only row of addresses has %s', async (_, line) => {
  const files = smallRegistry();
  const addresses = [files['allowed-ips']![0]!];
  writeFiles(own.directory, { 'allowed-ips': addresses });
  appendFileSync(path.join(own.directory, 'allowed-ips.csv'), line);
  const { 'allowed-ips': __, ...others } = files;
  const { causes } = await own.moveIn(others);
  expect(causes).toContainEqual({
    ...{ file: 'allowed-ips', done: 'changed', column: null, count: 1 },
    why: 'has no row while another is refused; it is now 0.0.0.0/32, which nobody has',
  });
  expect(own.rows().registrars).toMatchObject([
    { allowed_ips: '["192.0.2.1"]' },
    { allowed_ips: '["0.0.0.0/32"]' },
  ]);
  expect(await own.reconcile()).toMatchObject({ status: 0, unreported: 0 });
});

test('names registrars that may call from nowhere, or from everywhere', async () => {
  const files = smallRegistry();
  const nowhere = { registrar: 'ALPHA', address: '0.0.0.0/32' };
  const { lines } = await own.moveIn({ ...files, 'allowed-ips': [nowhere] });
  expect(lines).toEqual([
    'allowed-ips.csv: ALPHA  "" carried: has only 0.0.0.0/32, which nobody has',
    'allowed-ips.csv: BETA  "" carried: has no row: open to every address',
  ]);
  const { 'allowed-ips': _, ...others } = files;
  rmSync(path.join(own.directory, 'allowed-ips.csv'));
  expect((await own.moveIn(others)).lines).toEqual(
    ['ALPHA', 'BETA'].map(
      (code) => `allowed-ips.csv: ${code}  "" carried: has no row: open to every address`,
    ),
  );
});

test('opens nothing because of a value that cannot be read', async () => {
  const files = smallRegistry();
  const disabled = ['true', '2020-02-30', 'infinity'];
  files['api-users']!.push(
    ...disabled.map((disabled_at, n) => row.user(`u${n}`, 'BETA', { disabled_at })),
  );
  files.certificates!.push(row.certificate('ats', digests[0], { expires_at: 'eile' }));
  files.reserved!.push(row.reserved('kinni.ee', { last_day: '2020-02-30' }));
  files.disputes!.push(row.dispute('tuli.ee', '2016-01-01', { closed_at: 'jah' }));
  files.auctions!.push(row.auction(40, 'oksjon.ee', 'started', { registration_deadline: 'homme' }));
  files.contacts!.push(
    row.contact(70, 'ALPHA', { statuses: '{serverUpdateProhibited,serverHold}' }),
  );
  const before = (await own.moveIn(smallRegistry())).lines;
  const { lines } = await own.moveIn(files);
  const epoch = '1970-01-01T00:00:00.000Z';
  const since = 'disabled_at "VALUE" changed: is not a time; it counts as 1970-01-01';
  expect(lines.filter((line) => !before.includes(line))).toEqual([
    ...disabled.flatMap((value, n) => [
      `api-users.csv:${n + 3} u${n} ${since.replace('VALUE', value)}`,
      `api-users.csv:${n + 3} u${n} disabled_at "${value}" carried: is disabled, so nobody can log in with it`,
    ]),
    'auctions.csv:4 00000000-0000-4000-8000-000000000040 registration_deadline "homme" refused: is not a time',
    `certificates.csv:3 ats ${digests[0]} expires_at "eile" refused: is not a time`,
    'contacts.csv:5 ALPHA:70 statuses "{serverUpdateProhibited,serverHold}" changed: is not a list; it is now a list of the statuses that it names',
    'disputes.csv:3 tuli.ee 2016-01-01 2015-03-04T05:06:07.123Z closed_at "jah" refused: is not a time',
    'reserved.csv:3 kinni.ee last_day "2020-02-30" refused: is not a day',
  ]);
  const rows = own.rows();
  expect(rows.api_users!.map((user) => user.disabled_at)).toEqual([null, epoch, epoch, epoch]);
  expect(rows.contacts!.at(-1)).toMatchObject({ statuses: '["serverUpdateProhibited"]' });
  expect(await own.reconcile()).toMatchObject({ status: 0, unreported: 0 });
});

test('names what no login can supply, and codes that today would be refused', async () => {
  const files = smallRegistry();
  files.registrars!.push(row.registrar(10, 'A/B'));
  files['allowed-ips']!.push({ registrar: 'A/B', address: '192.0.2.7' });
  files['api-users']!.push(
    row.user('r\u00fc\nvi', 'BETA', { password: 'sala' }),
    row.user('cr', 'BETA', { password: 'a\rb' }),
    row.user('tab', 'BETA', { password: 'a\tb' }),
    row.user('line', 'BETA', { password: 'a\u2028b' }),
    row.user('fine', 'BETA', { password: ' a b\u00a0' }),
  );
  files.contacts!.push(row.contact(71, 'A/B'));
  const before = (await own.moveIn(smallRegistry())).lines;
  const { lines } = await own.moveIn(files);
  const why = 'carried: contains a control character or a line break, so nobody can log in with it';
  expect(lines.filter((line) => !before.includes(line))).toEqual([
    `api-users.csv:3 r\u00fc\nvi username "r\u00fc\\nvi" ${why}`,
    `api-users.csv:5 cr password "" ${why}`,
    `api-users.csv:7 tab password "" ${why}`,
    `api-users.csv:8 line password "" ${why}`,
    'contacts.csv:5 A/B:71 code "A/B:71" carried: Contact id is invalid; a path needs it percent-encoded',
    'registrars.csv:4 A/B code "A/B" carried: is not a registrar code: use 1 to 32 of A-Z, 0-9, _ and -',
  ]);
});

test('keeps how people reach a registrar, and names what today would be refused', async () => {
  const alpha = {
    phone: '+372.6123456',
    email: 'abi@alpha.example',
    website: 'http://alpha.example',
  };
  const beta = { phone: '6 123 456', email: 'x', website: 'javascript:alert(1)' };
  const none = { phone: '', email: '', website: '' };
  const { lines } = await own.moveIn({
    registrars: [
      row.registrar(7, 'ALPHA', alpha),
      row.registrar(9, 'BETA', beta),
      row.registrar(11, 'GAMMA', none),
    ],
  });
  expect(lines.filter((line) => line.startsWith('registrars.csv'))).toEqual([
    'registrars.csv:3 BETA phone "6 123 456" carried: Phone is invalid',
    'registrars.csv:3 BETA email "x" carried: Email is invalid: has no @',
    'registrars.csv:3 BETA website "javascript:alert(1)" carried: Website is invalid',
  ]);
  expect(own.rows().registrars).toMatchObject([
    alpha,
    beta,
    { phone: null, email: null, website: null },
  ]);
  expect(await own.reconcile()).toMatchObject({ status: 0 });
  writeFiles(own.directory, {
    registrars: [row.registrar(7, 'ALPHA', { ...alpha, phone: '+372.6999999' })],
  });
  expect((await own.reconcile()).differences[0]).toMatchObject({
    ...{ key: 'ALPHA', difference: 'other values', columns: ['phone'] },
  });
});

test('writes nothing while a row is refused, unless it may stay behind, and says so last', async () => {
  const files = smallRegistry();
  files.domains!.push(row.domain('-.ee', 'ALPHA'));
  files.reserved!.push(row.reserved('aegunud.ee', { last_day: '2020-01-01' }));
  writeFiles(own.directory, files);
  const args = ['move-in', own.directory, '--to', own.file];
  const refused = await run(...args);
  expect(refused.status).toBe(1);
  expect(existsSync(own.file)).toBe(false);
  const [first, ...rest] = refused.stdout.trim().split('\n');
  expect(first).toMatch(/^refused: 1 line of (domains|reserved)\.csv /);
  expect(rest.at(-1)).toBe('2 rows stay behind; correct them, or pass --skip-invalid');
  const skipped = await run(...args, '--skip-invalid');
  expect(skipped).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/\n2 rows stay behind\n$/),
  });
  expect(existsSync(own.file)).toBe(true);
});
