import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { startTool } from '../tool.ts';
import { readFileOf } from './files.ts';
import { startInternetee } from './internetee.ts';

const tool = startTool();
const old = startInternetee(3_000);
let files: string;

beforeAll(async () => {
  files = await tool.newDirectory();
  await old.exportTo(files);
});

const rowsOf = (name: string) => readFileOf(files, name);

test('writes whom eeID has identified, and the requests whose numbers are known', async () => {
  const contacts = rowsOf('contacts');
  const ofContact = (id: number) => {
    const { identity_verification: verification, identity_request: request } = contacts[id - 1]!;
    return [verification, request].map((json) => json && JSON.parse(String(json)));
  };
  const [{ identified, pending }] = (await old.query(
    "select uuid_of(9, 'eeid') as identified, uuid_of(5, 'eeid') as pending",
  )) as [{ identified: string; pending: string }];
  const sent_at = '2026-06-10T08:00:00.123456Z';
  const verified_at = '2026-06-10T09:00:00.654321Z';
  expect(ofContact(9)).toEqual([
    { id: identified, method: 'eid', verified_at, verified_by: 'former registry' },
    { id: identified, sent_at, decided_at: verified_at },
  ]);
  expect(ofContact(5)).toEqual(['', { id: pending, sent_at }]);
  expect(ofContact(3)).toEqual(['', '']);
  const [first] = contacts.filter(({ id }) => Number(id) === 860);
  expect(JSON.parse(String(first!.identity_verification)).id).not.toBe('');
});

test('writes contacts of a registry that verified nobody yet', async () => {
  const columns = [
    'ident_request_sent_at',
    'verified_at',
    'verification_id',
    'verification_pending_at',
  ];
  const rename = (from: string, to: string) =>
    columns.map((name) => `alter table contacts rename ${from}${name} to ${to}${name};`).join(' ');
  const older = await tool.newDirectory();
  await old.say(rename('', 'hidden_'));
  await old.exportTo(older);
  await old.say(rename('hidden_', ''));
  const [header] = (await readFile(path.join(older, 'contacts.csv'), 'utf8')).split('\n');
  expect(header).toContain('identity_verification,identity_request');
});

test('writes the certificates with which API users may log in, by their fingerprints', async () => {
  const certificates = rowsOf('certificates');
  expect(certificates.map(({ username, common_name: name }) => [username, name])).toEqual([
    ['alpha', 'alpha'],
    ['beta', 'beta, õ'],
    ['beta', ''],
    ['alpha epp', ''],
    ['zone:epp', 'zone'],
    ['#98', 'kadunud'],
    ['beta', 'beta'],
  ]);
  const [{ crt }] = (await old.query('select crt from certificates where id = 1')) as [
    { crt: string },
  ];
  expect(certificates[0]).toEqual({
    username: 'alpha',
    fingerprint: new X509Certificate(crt).fingerprint256.replaceAll(':', '').toLowerCase(),
    common_name: 'alpha',
    expires_at: '2036-11-20 07:02:18',
    created_at: '2026-11-23 07:02:19',
  });
  expect(certificates.at(-1)).toMatchObject({ fingerprint: '' });
});

test('writes the addresses that may call, and one that nobody has where there is none', async () => {
  const addresses = rowsOf('allowed-ips').map(
    ({ registrar, address }) => `${registrar} ${address}`,
  );
  expect(addresses).toEqual([
    'ALPHA 192.0.2.0/28',
    'ALPHA 192.0.2.1',
    'ALPHA 2001:0DB8:0000::1',
    'BETA 127.0.0.1',
    'BETA 2001:db8:1::/64',
    'BETA 203.0.113.7 ',
    'BETA ::1',
    'GAMMA 0.0.0.0/32',
    'Gamma 0.0.0.0/32',
    'ZONE.EE 127.0.0.1',
    'ZONE.EE 192.0.2.300',
    'VÄIKE ÕU 0.0.0.0/32',
    'ÜLE-1 0.0.0.0/32',
    '#99 203.0.113.99',
  ]);
});

test('names by its id what a row refers to and is gone', async () => {
  const ids = (file: string, column: string) => {
    const values = rowsOf(file).map((row) => String(row[column]));
    return [...new Set(values.filter((value) => value.startsWith('#')))].sort();
  };
  expect({
    users: ids('api-users', 'registrar'),
    contacts: ids('contacts', 'registrar'),
    domains: ids('domains', 'registrar'),
    links: ids('domain-contacts', 'contact'),
  }).toEqual({ users: ['#99'], contacts: ['#98', '#99'], domains: ['#98', '#99'], links: ['#0'] });
});

test('a name that is reserved until midnight has its last day the day before', async () => {
  const days = await old.query(`
    select name, case expire_at::text
      when '2036-05-04 00:00:00' then '2036-05-03'
      when '2012-01-01 00:00:00' then '2011-12-31'
      else expire_at::date::text
    end as last_day from reserved_domains order by id`);
  const written = rowsOf('reserved');
  expect(written.map(({ name, last_day }) => ({ name, last_day }))).toEqual(days);
  expect(new Set(written.map(({ last_day }) => last_day))).toEqual(
    new Set(['', '2011-12-31', '2036-05-03', '2036-05-04']),
  );
});

test('fails where the database is another one', async () => {
  const exported = old.exportTo(await tool.newDirectory(), 'template1');
  await expect(exported).rejects.toMatchObject({ code: 3 });
});
