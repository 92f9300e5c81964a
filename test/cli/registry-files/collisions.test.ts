import { beforeAll, beforeEach, expect, test } from 'vitest';
import { type Files, row, smallRegistry, uuidOf } from './files.ts';
import { startMoves } from './moves.ts';

const moves = startMoves(beforeAll);
/** The lines of the first report, and every row of every table then. */
let first: string[];
// biome-ignore lint/suspicious/noExplicitAny: every row of every table
let held: Record<string, any[]>;

beforeEach(moves.begin);

/** Moves the files in, and returns the answer and the lines of the report without the values. */
async function moveIn(files: Files, ...options: string[]) {
  const { lines, ...answer } = await moves.moveIn(files, ...options);
  const value = / "(?:[^"\\]|\\.)*"(?= \w+:)/;
  return { ...answer, lines: lines.map((line) => line.replace(value, '')) };
}
beforeAll(async () => {
  const files = smallRegistry();
  files.registrars!.push(row.registrar(8, 'beta'), row.registrar(10, 'GAMMA'));
  files.contacts!.push(
    row.contact(11, 'ALPHA'),
    row.contact(41, 'beta', { code: 'VANA:1' }),
    row.contact(50, 'ALPHA', { uuid: 'x' }),
    row.contact(50, 'ALPHA'),
    row.contact(51, 'ALPHA', { uuid: '', auth_info: '', created_at: '', updated_at: '' }),
    row.contact(80, 'ALPHA'),
    row.contact(81, 'ALPHA'),
    row.contact(82, 'ALPHA'),
  );
  files.domains!.push(row.domain('ploom.ee', 'beta'), row.domain('kirss.ee', 'ALPHA'));
  files['domain-contacts']!.push(
    row.link('kirss.ee', 'ALPHA:99', 'registrant'),
    row.link('kirss.ee', 'ALPHA:50', 'registrant'),
    row.link('kirss.ee', 'ALPHA:50', 'registrant'),
    row.link('puudub.ee', 'ALPHA:99', 'tech'),
  );
  files.reserved!.push(row.reserved('igavene.ee', { last_day: 'infinity' }));
  files.reserved!.push(row.reserved('olematu.ee', { last_day: '-infinity' }));
  files.disputes = [
    row.dispute('tuli.ee', '2016-01-01', { created_at: '', initiator: 'Mari' }),
    row.dispute('tuli.ee', '2016-01-01', { created_at: '', initiator: 'Jüri' }),
    row.dispute('tuli.ee', '2017-01-01', { last_day: 'infinity' }),
    row.dispute('tuli.ee', '2017-01-01', { last_day: '9999-12-31' }),
  ];
  first = (await moveIn(files, '--orphans-to', 'ALPHA')).lines;
  held = await moves.registry.rows();
});

function linesAbout(...texts: string[]): string[] {
  return first.filter((line) => texts.some((text) => line.includes(text)));
}

function contactsOf(domain: string): string[] {
  const { id } = held.domains!.find(({ name }) => name === domain);
  const links = held.domain_contacts!.filter(({ domain_id }) => domain_id === id);
  return links.map(({ contact_id, role }) => `${role} ${contact_id}`).sort();
}

test('carries what refers to a row that is twice, exactly the same', () => {
  expect(linesAbout('ALPHA:11')).toEqual([
    'contacts.csv:5 ALPHA:11 code refused: an earlier line has the same',
  ]);
  expect(contactsOf('õun.ee')).toEqual(['admin 12', 'registrant 11']);
});

test('gives what belongs to a twin of a registrar to the registrar for orphans', () => {
  const why = 'another line of registrars.csv has the same in upper case; it is now with ALPHA';
  expect(linesAbout('VANA:1', 'ploom.ee')).toEqual([
    `contacts.csv:6 VANA:1 registrar changed: ${why}`,
    `domains.csv:4 ploom.ee registrar changed: ${why}`,
  ]);
  expect(held.contacts).toContainEqual(expect.objectContaining({ id: 41, registrar_id: 7 }));
});

test('lets no refused row take the place of a good one', () => {
  expect(linesAbout('ALPHA:50', 'kirss.ee')).toEqual([
    'contacts.csv:7 ALPHA:50 uuid refused: is not a UUID',
    'domain-contacts.csv:6 kirss.ee contact refused: there is no such row in contacts',
    'domain-contacts.csv:8 kirss.ee contact refused: an earlier line has the same',
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
      (column) => `contacts.csv:9 ALPHA:51 ${column} changed: ${why}`,
    ),
  );
});

test('takes an end that never comes as none, and refuses one before all time', () => {
  expect(linesAbout('igavene.ee', 'olematu.ee')).toEqual([
    'reserved.csv:4 olematu.ee last_day refused: is an end before all time',
  ]);
  expect(held.retained_domains).toContainEqual(
    expect.objectContaining({ name: 'igavene.ee', last_day: null }),
  );
});

test('tells disputes of a name apart that have the same days, or no time', () => {
  const later = 'created_at changed: is now later, because an earlier line has the same';
  expect(linesAbout('disputes.csv')).toEqual([
    'disputes.csv:2 tuli.ee 2016-01-01 2016-01-01T00:00:00.000Z created_at changed: made here because none is taken from the file',
    'disputes.csv:3 tuli.ee 2016-01-01 2016-01-01T00:00:00.001Z created_at changed: made here because none is taken from the file',
    `disputes.csv:5 tuli.ee 2017-01-01 2015-03-04T05:06:07.124Z ${later}`,
  ]);
  const [mari, jyri, ...others] = held.disputes!;
  expect([mari.initiator, jyri.initiator]).toEqual(['Mari', 'Jüri']);
  expect(others.map((each) => each.last_day)).toEqual(['9999-12-31', '9999-12-31']);
});

test('records a domain without a registrant as one that has none', () => {
  const { changes } = held.history!.find(({ subject_key: key }) => key === 'ploom.ee');
  expect(JSON.parse(changes)).not.toHaveProperty('registrant');
});

test('keeps a contact that is gone while a domain here refers to it', async () => {
  const { contacts } = smallRegistry();
  const left = held.contacts!.filter(({ id }) => id > 15).map(({ id }) => row.contact(id, 'ALPHA'));
  left[0]!.code = 'VANA:1';
  const { lines, changed, run } = await moveIn({
    contacts: [contacts![0]!, contacts![2]!, ...left],
  });
  expect(lines).toEqual(['contacts.csv: ALPHA:12  conflict: another row still refers to it']);
  expect(changed).toBe(true);
  expect((await run()).changed).toBe(false);
});

test('leaves the domains of a contact whose id a contact that was made here has', async () => {
  moves.registry.edit(`insert into contacts (id, uuid, registrar_id, number, code, name, name_key, email, email_key, phone, ident, ident_key,
      ident_type, ident_country_code, auth_info, created_at, updated_at)
    select 70, '${uuidOf(170)}', registrar_id, 70, 'ALPHA:MUU', name, name_key, email, email_key, phone, ident, ident_key, ident_type,
      ident_country_code, auth_info, created_at, updated_at from contacts where id = 11`);
  const kept = (await moves.registry.rows()).contacts as { id: number; code: string }[];
  const contacts = kept
    .filter(({ code }) => code !== 'ALPHA:MUU')
    .map(({ id, code }) => row.contact(id, id === 15 ? 'BETA' : 'ALPHA', { code }));
  const { lines, run } = await moveIn({
    contacts: [...contacts, row.contact(70, 'ALPHA')],
    domains: [row.domain('õun.ee', 'ALPHA'), row.domain('pirn.ee', 'BETA')],
    'domain-contacts': [
      row.link('õun.ee', 'ALPHA:70', 'registrant'),
      row.link('õun.ee', 'ALPHA:12', 'admin'),
      row.link('pirn.ee', 'BETA:15', 'registrant'),
    ],
  });
  expect(lines).toEqual([
    `contacts.csv:${contacts.length + 2} ALPHA:70  conflict: another row here has a value that only one may have`,
    'contacts.csv: ALPHA:MUU  conflict: was made here',
    'domains.csv:2 õun.ee  conflict: it needs a row of contacts.csv that is a conflict',
  ]);
  expect((await run()).changed).toBe(false);
});

test('leaves contacts that are to get the id of another', async () => {
  const kept = (await moves.registry.rows()).contacts as { id: number; code: string }[];
  const contacts = kept.map(({ id, code }) => {
    const moved = id >= 80 ? id + 1 : id;
    const uuid = uuidOf(code === 'ALPHA:MUU' ? 170 : id);
    return row.contact(moved, id === 15 ? 'BETA' : 'ALPHA', { code, uuid });
  });
  const { lines } = await moveIn({ contacts });
  const about = lines.filter((line) => /ALPHA:8\d/.test(line)).map((line) => line.split(':8')[1]);
  const taken = '  conflict: another row here has a value that only one may have';
  expect(about.sort()).toEqual([`0${taken}`, `1${taken}`]);
});

test('takes the password of a file without secrets for a user who has a secret here', async () => {
  await moves.registry.done('api-user rotate ats --yes');
  const { secret_digest: _, ...user } = row.user('ats', 'ALPHA');
  const { lines } = await moveIn({ 'api-users': [user] }, '--theirs');
  expect(lines).toEqual(['api-users.csv:2 ats  settled: was changed here']);
  const { api_users: users } = await moves.registry.rows();
  expect(users).toMatchObject([{ secret_digest: null, password_hash: expect.any(String) }]);
});

test('does not mistake what was done to one row for a change of another row of the name', async () => {
  await moves.registry.done('retained add riigikogu.ee --status blocked');
  await moves.registry.done('dispute open tuli.ee --from 2014-01-01 --until 2014-02-01');
  const { lines } = await moveIn({
    reserved: [row.reserved('riigikogu.ee', { password: 'uus' })],
    disputes: [row.dispute('tuli.ee', '2016-01-01', { created_at: '', initiator: 'Mall' })],
  });
  expect(lines.filter((line) => line.includes('conflict'))).toEqual([
    expect.stringMatching(/^disputes.csv: tuli.ee 2014-01-01 .* conflict: was made here$/),
  ]);
});
