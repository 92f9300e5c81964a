import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { csvOf, startTool } from './tool.ts';

const tool = startTool();
const importing = ['contact', 'import', '-', '--registrar', 'ALPHA'];

/** The permissions of a file, in octal digits. */
const modeOf = ({ mode }: { mode: number }) => (mode & 0o777).toString(8);

const known = {
  registrar: 'ALPHA',
  code: 'ALPHA:1B7A3C5D',
  name: 'Mari Maasikas',
  org_name: 'Maasikas, "OÜ"',
  email: 'mari@example.ee',
  phone: '+372.5123456',
  fax: '+372.6123456',
  ident: '38001085718',
  ident_type: 'priv',
  ident_country_code: 'EE',
  street: 'Pikk 1',
  city: 'Tallinn',
  zip: '10133',
  state: 'Harjumaa',
  country_code: 'EE',
  auth_info: 'e2c440eba6055c2f844a88',
  statuses: 'clientDeleteProhibited serverUpdateProhibited',
  status_notes: { clientDeleteProhibited: 'kohtuasi' },
  disclosed_attributes: 'name email',
  legacy_id: '1234567',
  identity_verification: {
    id: '6f1f0f4e-0c3a-4f0e-9a52-1f0f3c1d2b3a',
    method: 'eid',
    framework: 'eidas',
    reference: 'N-1',
    result: 'success',
    verified_at: '2015-10-09T09:11:14.861Z',
    verified_by: '7-ApiUser: vana',
  },
  name_verification: null,
  email_verification: {
    id: '7f1f0f4e-0c3a-4f0e-9a52-1f0f3c1d2b3a',
    method: 'email',
    framework: null,
    reference: null,
    result: 'ended',
    verified_at: '2015-10-09T09:11:14.861Z',
    verified_by: '7-ApiUser: vana',
  },
  phone_verification: null,
  address_verification: null,
  verification_demand: { claims: ['name'], by: '2027-01-31' },
  identity_request: { id: '11', sent_at: '2015-10-09T09:11:14.861Z', pending: null },
};
/** What an export has beside the values of a contact. */
const own = {
  uuid: '0d2f7a2e-5a0e-4c40-8ad4-5c8a2b6f3f11',
  creator_str: '7-ApiUser: vana',
  updator_str: '8-ApiUser: uus',
  created_at: '2015-09-09T09:11:14.861Z',
  updated_at: '2016-01-01T00:00:00.000Z',
};
const short = {
  code: 'ALPHA:2',
  name: 'Jaan Tamm',
  email: 'jaan@example.ee',
  phone: '+372.5123457',
  ident: '12345678',
  ident_type: 'org',
  ident_country_code: 'EE',
};

test('keeps every value that a contact brings, and gives what it does not', async () => {
  const registry = await tool.newRegistry('ALPHA');
  const file = await registry.file(
    'contacts.csv',
    csvOf({ ...known, ...own }, { ...short, registrar: 'ALPHA' }),
  );
  const args = ['contact', 'import', file, '--registrar', 'ALPHA'];
  expect(await registry.done(args)).toMatchObject({
    ...{ read: 2, added: 2 },
    skipped_columns: ['uuid', 'creator_str', 'updator_str', 'created_at', 'updated_at'],
  });
  const { stdout } = await registry.run('contact export --registrar ALPHA --json');
  const [first, second] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(first).toMatchObject(known);
  for (const [name, value] of Object.entries(own)) expect(first[name]).not.toBe(value);
  expect(second).toMatchObject({
    ...short,
    uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    auth_info: expect.stringMatching(/^[0-9a-f]{22}$/),
    org_name: null,
    legacy_id: null,
    created_at: second.updated_at,
  });
  const { contacts, registrars, history } = await registry.rows();
  expect(contacts).toMatchObject([
    { number: 1, domain_count: 0 },
    { number: 2, domain_count: 0 },
  ]);
  expect(registrars).toMatchObject([{ contact_count: 2 }]);
  expect(JSON.stringify(history)).not.toContain(known.auth_info);
}, 120_000);

test('takes a list as words', async () => {
  const registry = await tool.newRegistry('ALPHA');
  const args = ['contact', 'import', '-', '--registrar', 'ALPHA'];
  const header = `${Object.keys(short).join(',')},statuses,disclosed_attributes\n`;
  const row = `${Object.values(short).join(',')},ok serverUpdateProhibited,"email, name"\n`;
  await registry.done(args, header + row);
  expect(await registry.done('contact show ALPHA:2')).toMatchObject({
    contact: { statuses: ['serverUpdateProhibited'], disclosed_attributes: ['name', 'email'] },
  });
}, 120_000);

test('imports what it has exported, as CSV, and it is the same', async () => {
  const registry = await tool.newRegistry('ALPHA');
  await registry.done(importing, csvOf(known, { ...short, registrar: 'ALPHA' }));
  const exported = path.join(registry.directory, 'contacts.csv');
  expect(await registry.done(['contact', 'export', exported, '--registrar', 'ALPHA'])).toEqual({
    file: exported,
    rows: 2,
  });
  const ended = await registry.run(['contact', 'import', exported, '--update']);
  expect(ended).toEqual({
    stderr: '',
    status: 0,
    stdout:
      'added 0 contacts, updated 0, 2 already there; skipped the columns uuid, creator_str, created_at, updated_at\n',
  });
}, 120_000);

test('changes contacts that exist with --update: the values given, with history and notifications', async () => {
  const registry = await tool.newRegistry('ALPHA');
  const { statuses: _, ...open } = known;
  await registry.done(importing, csvOf(open));
  const updating = [...importing, '--update'];
  const { code, ident, ident_type, ident_country_code, phone } = known;
  const identity = { ident, ident_type, ident_country_code };
  const changed = { code, ...identity, phone, name: 'Mari Kask', email: 'kask@example.ee' };
  const rows = csvOf(changed, short);
  expect(await registry.done([...updating, '--dry-run'], rows)).toMatchObject({
    ...{ added: 1, updated: 1, unchanged: 0, changed: false },
  });
  expect(await registry.done(updating, rows)).toMatchObject({ added: 1, updated: 1 });
  expect(await registry.done(updating, rows)).toMatchObject({ added: 0, updated: 0 });
  const { contact } = await registry.done(['contact', 'show', code]);
  expect(contact).toMatchObject({ name: 'Mari Kask', fax: known.fax, city: 'Tallinn' });
  const { history } = await registry.done(['history', 'contact', code]);
  expect(history[0].changes).toMatchObject({
    name: { from: 'Mari Maasikas', to: 'Mari Kask' },
    email: { from: 'mari@example.ee', to: 'kask@example.ee' },
  });
  const { notifications, contacts } = await registry.rows();
  expect(notifications).toMatchObject([{ event: 'contact.updated', subject_key: code }]);
  expect(contacts).toHaveLength(2);
  const check = { ...known.identity_verification, id: 'another' };
  for (const [column, value] of Object.entries({
    ident: '49002010976',
    identity_verification: check,
  })) {
    const { status, stderr } = await registry.run(updating, csvOf({ ...changed, [column]: value }));
    expect([status, stderr]).toEqual([
      1,
      `refused: standard input:2: ${code} already exists with another ${column}; --update does not change that [code]\n`,
    ]);
  }
}, 120_000);

test('leaves a file as it is if the registrar whose contacts it is to have does not exist', async () => {
  const registry = await tool.newRegistry('ALPHA');
  const file = await registry.file('contacts.csv', 'of another day');
  const { status, stderr } = await registry.run([
    ...['contact', 'export', file, '--registrar', 'ALHPA'],
  ]);
  expect(status).toBe(1);
  expect(stderr).toBe('refused: there is no registrar "ALHPA" [registrar]\n');
  expect(await readFile(file, 'utf8')).toBe('of another day');
});

test('tells a failure from a refusal', async () => {
  const registry = await tool.newRegistry('ALPHA');
  const file = path.join(registry.directory, 'nowhere/contacts.csv');
  const ended = await registry.run(['contact', 'export', file, '--registrar', 'ALPHA']);
  expect(ended).toMatchObject({ status: 1, stdout: '' });
  expect(ended.stderr).toBe(`failed: ${file} cannot be written: no such file or directory\n`);
});

test('leaves contacts that are there already, and overwrites none that are different', async () => {
  const registry = await tool.newRegistry('ALPHA', 'BETA');
  const importRows = (...rows: object[]) => registry.run(importing, csvOf(...rows));
  await importRows(known);
  const before = await registry.rows();
  expect(await importRows(known)).toMatchObject({
    status: 0,
    stdout: 'added 0 contacts, 1 already there\n',
  });
  expect(await importRows({ ...known, phone: '+372.5000000' })).toMatchObject({
    status: 1,
    stderr:
      'refused: standard input:2: ALPHA:1B7A3C5D already exists with another phone; an import overwrites nothing [code]\n',
  });
  expect(await importRows({ ...known, registrar: 'BETA' })).toMatchObject({
    status: 1,
    stderr:
      'refused: standard input:2: ALPHA:1B7A3C5D already exists with another registrar; an import overwrites nothing [code]\n',
  });
  expect(await registry.rows()).toEqual(before);
}, 120_000);

test('imports the good rows with --skip-invalid, and saves the bad ones with their reasons', async () => {
  const registry = await tool.newRegistry('ALPHA');
  const header = Object.keys(short).join(',');
  const row = (changes: Partial<typeof short>) => Object.values({ ...short, ...changes }).join(',');
  const bad = row({ code: 'ALPHA:3', phone: '5123457', email: '' });
  const rows = [header, row({}), bad, row({ name: 'Keegi muu' }), row({ code: 'ALPHA:4' })];
  const file = await registry.file('contacts.csv', `${rows.join('\n')}\n`);
  const args = ['contact', 'import', file, '--registrar', 'ALPHA', '--skip-invalid'];
  const rejected = path.join(registry.directory, 'contacts.rejected.csv');
  expect(await registry.done(args)).toEqual({
    read: 4,
    added: 2,
    updated: 0,
    unchanged: 0,
    rejected: 2,
    rejected_file: rejected,
    changed: true,
    request_id: expect.any(String),
  });
  expect(await readFile(rejected, 'utf8')).toBe(
    `${header},rejected_line,rejected_field,rejected_reason,rejected_text\n` +
      `${bad},3,email; phone,"email is missing; ""5123457"" is not valid: +, country code, dot and number, for example +372.5123456",\n` +
      `${row({ name: 'Keegi muu' })},4,,ALPHA:2 is already in line 2,\n`,
  );
  expect(modeOf(await stat(rejected))).toBe('600');
  const corrected = (await readFile(rejected, 'utf8'))
    .replace('ALPHA:3,Jaan Tamm,,5123457', 'ALPHA:3,Jaan Tamm,jaan@example.ee,+372.5123457')
    .replace('ALPHA:2,', 'ALPHA:5,');
  const again = await registry.file('corrected.csv', corrected);
  const done = await registry.done(['contact', 'import', again, '--registrar', 'ALPHA']);
  expect(done).toMatchObject({ read: 2, added: 2 });
}, 120_000);

test('transfers a contact that no domain refers to, with its history, and notifies both', async () => {
  const registry = await tool.newRegistry('ALPHA', 'BETA');
  await registry.done(importing, csvOf(known, { ...short, registrar: 'ALPHA' }));
  await registry.done('domain import -', 'name,registrar,registrant\nõun.ee,ALPHA,ALPHA:2\n');
  const transfer = `contact transfer ${known.code} --to beta`;
  const { contact: before } = await registry.done(['contact', 'show', known.code]);
  expect(await registry.done(`${transfer} --dry-run`)).toMatchObject({ changed: false });
  expect((await registry.run(transfer)).stderr).toContain('confirm with --yes');
  expect(await registry.done(['contact', 'show', known.code])).toEqual({ contact: before });

  expect(await registry.done(`${transfer} --yes`)).toMatchObject({ changed: true });
  const { contact: after } = await registry.done(['contact', 'show', known.code]);
  const { registrar: _, id: __, auth_info, updated_at, updator_str, ...kept } = before;
  // What its former registrar has asked, and under what references it checked, is not the new one's.
  const identity = { ...kept.identity_verification, reference: null, verified_by: null };
  expect(after).toMatchObject({
    ...{ ...kept, registrar: 'BETA', identity_request: null },
    ...{ identity_verification: identity, email_verification: null },
  });
  expect(after.auth_info).not.toBe(auth_info);
  const { registrars } = await registry.done('registrar list');
  expect(registrars).toMatchObject([{ contact_count: 1 }, { contact_count: 1 }]);
  const { history } = await registry.done(['history', 'contact', known.code]);
  expect(history[0]).toMatchObject({
    action: 'update',
    registrar: 'BETA',
    changes: { registrar: { from: 'ALPHA', to: 'BETA' }, auth_info: { redacted: true } },
  });
  expect((await registry.rows()).notifications).toMatchObject([
    { registrar_id: 1, event: 'contact.deleted', subject_key: known.code },
    { registrar_id: 2, event: 'contact.updated', subject_key: known.code },
    { registrar_id: 2, event: 'contact.verification_required', subject_key: known.code },
  ]);

  const linked = await registry.run('contact transfer ALPHA:2 --to BETA --yes');
  expect(linked.stderr).toContain('a domain refers to ALPHA:2');
  const back = await registry.run(`contact transfer ${known.code} --to ALPHA --yes`);
  expect(back.stderr).toContain(
    `; take back: npm run registry -- contact transfer ${known.code} --to BETA`,
  );
});

test('refuses what is malformed about verifications, with its reason', async () => {
  const registry = await tool.newRegistry('ALPHA');
  const check = { id: '1', method: 'e', verified_at: '2026-01-01T00:00:00Z' };
  const timestamp = 'is not an ISO 8601 timestamp such as 2026-01-31T12:00:00.000Z';
  const malformed: [column: string, value: unknown, reason: string][] = [
    ['identity_verification', 'jah', 'is not a verification, a JSON object'],
    ['email_verification', { ...check, verified_at: 'eile' }, `verified_at ${timestamp}`],
    [
      'phone_verification',
      { ...check, verified_at: '2999-01-01T00:00:00Z' },
      'verified_at is in the future',
    ],
    ['name_verification', { ...check, id: '' }, 'id is empty'],
    ['address_verification', { ...check, result: 'jah' }, 'result is not success, failed or ended'],
    ['verification_demand', { claims: [], by: '2027-01-31' }, 'claims is empty'],
    [
      'verification_demand',
      { claims: ['name'], by: '2027-02-30' },
      'by is not a day such as 2027-01-31',
    ],
    ['identity_request', { id: '1' }, `sent_at ${timestamp}`],
  ];
  const rows = malformed.map(([column, value], n) => ({
    ...{ ...short, code: `ALPHA:${n}` },
    [column]: value,
  }));
  const { status, stderr } = await registry.run(importing, csvOf(...rows));
  const refusals = malformed.map(
    ([column, , reason], n) => `refused: standard input:${n + 2}: ${reason} [${column}]\n`,
  );
  expect([status, stderr]).toEqual([1, refusals.join('')]);
  expect((await registry.rows()).contacts).toEqual([]);
});
