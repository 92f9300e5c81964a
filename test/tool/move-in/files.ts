import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';

export type FileRow = Record<string, string>;
export type Files = Record<string, FileRow[]>;

const at = '2015-03-04 05:06:07.123456';

/** Rows as an old registry exports them. Each is complete; a test states what matters to it. */
export const row = {
  registrar: (id: number, code: string, more: FileRow = {}) => ({
    ...{ id: String(id), code, name: `${code} OÜ`, created_at: at, updated_at: at },
    ...more,
  }),
  user: (username: string, registrar: string, more: FileRow = {}) => ({
    ...{ registrar, username, password: `sala-${username}`, disabled_at: '' },
    ...{ created_at: at, updated_at: at },
    ...more,
  }),
  certificate: (username: string, fingerprint: string, more: FileRow = {}) => ({
    ...{ username, fingerprint, common_name: username, expires_at: '2999-01-01 00:00:00' },
    created_at: at,
    ...more,
  }),
  contact: (id: number, registrar: string, more: FileRow = {}) => ({
    ...{
      id: String(id),
      registrar,
      uuid: uuidOf(id),
      code: `${registrar}:${id}`,
      name: `Mari ${id}`,
    },
    ...{ org_name: '', email: `mari${id}@example.ee`, phone: '+372.5123456', fax: '' },
    ...{ ident: '38001085718', ident_type: 'priv', ident_country_code: 'EE', street: 'Pikk 1' },
    ...{ city: 'Tallinn', zip: '10123', state: '', country_code: 'EE', auth_info: `auth${id}` },
    ...{ statuses: '["ok"]', status_notes: '', disclosed_attributes: '[]', legacy_id: '' },
    ...{ creator_str: '1-ApiUser: ats', updator_str: '', created_at: at, updated_at: at },
    ...more,
  }),
  domain: (name: string, registrar: string, more: FileRow = {}) => ({
    ...{ name, registrar, created_at: at },
    ...more,
  }),
  link: (domain: string, contact: string, role: string) => ({ domain, contact, role }),
  reserved: (name: string, more: FileRow = {}) => ({
    ...{ name, password: '', last_day: '', created_at: at },
    ...more,
  }),
  blocked: (name: string) => ({ name, created_at: at }),
  dispute: (name: string, first_day: string, more: FileRow = {}) => ({
    ...{ name, first_day, last_day: '', password: '', comment: '', initiator: '' },
    ...{ closed_at: '', created_at: at },
    ...more,
  }),
  auction: (id: number, name: string, status: string, more: FileRow = {}) => ({
    ...{ uuid: uuidOf(id), name, status, registration_code: '', registration_deadline: '' },
    ...{ platform: 'auto', created_at: at, updated_at: at },
    ...more,
  }),
};

export function uuidOf(id: number): string {
  return `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`;
}

/** A small registry with a row of each kind. */
export function smallRegistry(): Files {
  return {
    registrars: [row.registrar(7, 'ALPHA'), row.registrar(9, 'BETA')],
    'api-users': [row.user('ats', 'ALPHA')],
    certificates: [row.certificate('ats', 'a1'.repeat(32))],
    'allowed-ips': [
      { registrar: 'ALPHA', address: '192.0.2.1' },
      { registrar: 'BETA', address: '2001:db8::/32' },
    ],
    contacts: [row.contact(11, 'ALPHA'), row.contact(12, 'ALPHA'), row.contact(15, 'BETA')],
    domains: [row.domain('õun.ee', 'ALPHA'), row.domain('pirn.ee', 'BETA')],
    'domain-contacts': [
      row.link('õun.ee', 'ALPHA:11', 'registrant'),
      row.link('õun.ee', 'ALPHA:12', 'admin'),
      row.link('pirn.ee', 'BETA:15', 'registrant'),
      row.link('pirn.ee', 'BETA:15', 'tech'),
    ],
    reserved: [row.reserved('riigikogu.ee', { password: 'sala', last_day: '2999-01-01' })],
    blocked: [row.blocked('paha.ee')],
    disputes: [row.dispute('tuli.ee', '2016-01-01')],
    auctions: [
      row.auction(21, 'vana.ee', 'started'),
      row.auction(22, 'vana.ee', 'payment_received', { registration_code: 'kood' }),
    ],
  };
}

/** A file without rows has the columns of the small registry. */
export function writeFiles(directory: string, files: Files): void {
  for (const [name, rows] of Object.entries(files)) {
    const given = rows.length > 0 ? rows : smallRegistry()[name]!.slice(0, 1);
    const columns = [...new Set(given.flatMap((row) => Object.keys(row)))];
    writeFileSync(path.join(directory, `${name}.csv`), stringify(rows, { header: true, columns }));
  }
}

export function readFileOf(directory: string, name: string): FileRow[] {
  return parse(readFileSync(path.join(directory, `${name}.csv`)), { columns: true });
}
