import { beforeAll, expect, test } from 'vitest';
import { type Files, row, smallRegistry } from './files.ts';
import { startMoves } from './moves.ts';

const moves = startMoves(beforeAll);
/** The lines of the first report, and every row of every table then. */
let first: string[];
// biome-ignore lint/suspicious/noExplicitAny: every row of every table
let held: Record<string, any[]>;

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
  held = moves.rows();
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

test('gives ids to registrars without one after all others have theirs', async () => {
  await moveIn({ registrars: [row.registrar(1, 'ALPHA', { id: '' }), row.registrar(1, 'BETA')] });
  expect(moves.rows().registrars).toMatchObject([
    { id: 1, code: 'BETA' },
    { id: 2, code: 'ALPHA' },
  ]);
});
