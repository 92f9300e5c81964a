import { beforeEach, expect, test } from 'vitest';
import { startTool, type TestRegistry } from '../tool.ts';
import { type Files, readFileOf, row, smallRegistry, writeFiles } from './files.ts';

const tool = startTool();
let registry: TestRegistry;
let directory: string;

beforeEach(async () => {
  registry = await tool.newRegistry();
  directory = await tool.newDirectory();
});

/** Moves the files in, and returns the lines of the report without those about addresses. */
async function report(files: Files, ...options: string[]): Promise<string[]> {
  writeFiles(directory, files);
  await registry.done(['move-in', directory, ...options]);
  return readFileOf(directory, 'move-in-report').map(
    ({ file, line, key, column, value, done, why }) =>
      `${file}:${line} ${key} ${column} ${JSON.stringify(value)} ${done}: ${why}`,
  );
}

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
      statuses: '{ok,"vana staatus",NULL}',
      status_notes: '"ok"=>"märge \\"x\\"", "vana"=>NULL',
    },
    ...{ disclosed_attributes: '{phone}', created_at: '1999-12-31 23:59:59+02' },
  };
  const files = {
    registrars: [row.registrar(1, 'ALPHA')],
    contacts: [row.contact(5, 'ALPHA', dirty)],
  };
  const lines = await report(files);
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
  const { contacts } = await registry.rows();
  expect(contacts).toEqual([
    expect.objectContaining({
      ...{ name: dirty.name, email: 'kell', phone: '', ident: '', ident_type: 'passport' },
      ...{ country_code: 'Eesti', city: null, statuses: '["ok","vana staatus"]' },
      ...{ status_notes: '{"ok":"märge \\"x\\"","vana":""}', disclosed_attributes: '["phone"]' },
      created_at: '1999-12-31T21:59:59.000Z',
    }),
  ]);
  expect((await registry.run(['reconcile', directory])).status).toBe(0);
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
  const lines = await report(files);
  expect(lines).toEqual([
    'allowed-ips.csv:4 #99 registrar "#99" refused: there is no such row in registrars',
    'allowed-ips.csv:5 ALPHA address "x" refused: is not an address or CIDR range',
    'api-users.csv:3 gone registrar "#99" refused: there is no such registrar',
    'api-users.csv:4 lower registrar "beta" refused: another line of registrars.csv has the same in upper case',
    'api-users.csv:5 ei  "" refused: has no password',
    'auctions.csv:4 00000000-0000-4000-8000-000000000029 name "VANA.ee" refused: an earlier line has the same and the status started',
    'auctions.csv:5 00000000-0000-4000-8000-000000000030 status "unknown" refused: is not one of started, awaiting_payment, no_bids, payment_received, payment_not_received, domain_registered, domain_not_registered',
    'contacts.csv:5 #99:41 registrar "#99" refused: there is no such registrar',
    'contacts.csv:6 ALPHA:11 code "alpha:11" refused: an earlier line has the same',
    'contacts.csv:7  code "" refused: is missing',
    'contacts.csv:8 ALPHA:44 id "11" refused: an earlier line has the same',
    'domain-contacts.csv:6 pirn.ee contact "#99:41" refused: there is no such row in contacts',
    'domain-contacts.csv:7 pirn.ee contact "alpha:11" refused: another line of contacts.csv has the same in upper case',
    'domain-contacts.csv:8 pirn.ee role "omanik" refused: is not one of registrant, admin, tech',
    'domain-contacts.csv:9 puudub.ee domain "puudub.ee" refused: there is no such row in domains',
    'domain-contacts.csv:10 pirn.ee contact "ALPHA:11" refused: an earlier line has another registrant',
    'domains.csv:4  name "-.ee" refused: is not a domain name',
    'domains.csv:5 kadunud.ee registrar "#99" refused: there is no such registrar',
    'registrars.csv:4 BETA code "beta" refused: an earlier line has the same',
    'registrars.csv:5  code "" refused: is missing',
  ]);
  const { status, stdout } = await registry.run(['reconcile', directory, '--json']);
  expect({ status, ...JSON.parse(stdout) }).toMatchObject({
    status: 0,
    unreported: 0,
    equal: false,
  });
  expect(JSON.parse(stdout).differences).toHaveLength(20);
});

test('gives contacts and domains of a registrar that is gone to another, if the operator says so', async () => {
  const files = smallRegistry();
  files.contacts!.push(row.contact(41, '#99', { code: 'VANA:1' }));
  files.domains!.push(row.domain('kadunud.ee', '#99'));
  files['domain-contacts']!.push(row.link('kadunud.ee', 'VANA:1', 'registrant'));
  files['api-users']!.push(row.user('gone', '#99'));
  expect(await report(files, '--orphans-to', 'BETA')).toEqual([
    'api-users.csv:3 gone registrar "#99" refused: there is no such registrar',
    'contacts.csv:5 VANA:1 registrar "#99" changed: there is no such registrar; it is now with BETA',
    'domains.csv:4 kadunud.ee registrar "#99" changed: there is no such registrar; it is now with BETA',
  ]);
  const { contacts, domains } = await registry.rows();
  expect(contacts).toContainEqual(expect.objectContaining({ code: 'VANA:1', registrar_id: 9 }));
  expect(domains).toContainEqual(expect.objectContaining({ name: 'kadunud.ee', registrar_id: 9 }));
  const unknown = await registry.run(['move-in', directory, '--orphans-to', 'GAMMA']);
  expect(unknown).toMatchObject({
    status: 1,
    stderr: 'refused: there is no registrar "GAMMA" [orphans_to]\n',
  });
});

test('closes a registrar none of whose addresses can be read, and goes on', async () => {
  const files = smallRegistry();
  files['allowed-ips'] = [
    { registrar: 'ALPHA', address: 'x' },
    { registrar: 'BETA', address: '192.0.2.1' },
  ];
  expect(await report(files)).toEqual([
    'allowed-ips.csv:2 ALPHA address "x" refused: is not an address or CIDR range',
    'allowed-ips.csv: ALPHA  "" changed: has no row that can be read; it gets 0.0.0.0/32 so that it is not open to every address',
  ]);
  const { registrars } = await registry.rows();
  expect(registrars).toMatchObject([
    { allowed_ips: '["0.0.0.0/32"]' },
    { allowed_ips: '["192.0.2.1"]' },
  ]);
});

test('changes with a file of links or addresses alone only these', async () => {
  await report(smallRegistry());
  const other = await tool.newDirectory();
  writeFiles(other, {
    'domain-contacts': [row.link('pirn.ee', 'ALPHA:11', 'registrant')],
    'allowed-ips': [{ registrar: 'ALPHA', address: '192.0.2.7' }],
  });
  const { kinds } = await registry.done(['move-in', other]);
  expect(kinds).toMatchObject([
    { kind: 'registrars', updated: 2, removed: 0 },
    { kind: 'domains', updated: 2, removed: 0 },
  ]);
  const { registrars, domain_contacts: links, contacts } = await registry.rows();
  expect(registrars).toMatchObject([{ allowed_ips: '["192.0.2.7"]' }, { allowed_ips: '[]' }]);
  expect(links).toEqual([{ domain_id: expect.anything(), contact_id: 11, role: 'registrant' }]);
  expect(contacts).toHaveLength(3);
  const lines = readFileOf(other, 'move-in-report').map(({ key, why }) => `${key} ${why}`);
  expect(lines).toEqual(['BETA has no row: open to every address']);
});

test('a dry run reports and changes nothing', async () => {
  writeFiles(directory, smallRegistry());
  const before = await registry.rows();
  const { kinds, changed } = await registry.done(['move-in', directory, '--dry-run']);
  expect(changed).toBe(false);
  expect(kinds).toContainEqual(expect.objectContaining({ kind: 'contacts', added: 3 }));
  expect(await registry.rows()).toEqual(before);
});

test('ignores and names the columns and files that it does not know', async () => {
  const blocked = smallRegistry().blocked!.map((each) => ({ ...each, vana_veerg: 'x' }));
  writeFiles(directory, { blocked, muu: [{ a: 'b' }] });
  const { ignored } = await registry.done(['move-in', directory]);
  expect(ignored).toEqual(['muu.csv', 'blocked.csv: vana_veerg']);
});

test('does not add a reserved name whose last day is over, and lets it end here', async () => {
  const reserved = (last_day: string) => ({
    reserved: ['kinni.ee', 'riigikogu.ee'].map((name) => row.reserved(name, { last_day })),
  });
  await report(reserved('2999-01-01'));
  await registry.done(['retained', 'remove', 'kinni.ee', '--status', 'reserved', '--yes']);
  expect(await report(reserved('2020-01-01'))).toEqual([
    'reserved.csv:2 kinni.ee last_day "2020-01-01" refused: is over',
  ]);
  const { retained_domains: names } = await registry.rows();
  expect(names).toMatchObject([{ name: 'riigikogu.ee', last_day: '2020-01-01' }]);
  const { status } = await registry.run(['reconcile', directory]);
  expect(status).toBe(0);
});
