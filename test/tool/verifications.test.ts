import { expect, test } from 'vitest';
import { readDemand } from '../../src/contact/verification/operator/demand.ts';
import { verification } from '../support/fixtures.ts';
import { csvOf, startTool } from './tool.ts';

const tool = startTool();

const fields = {
  ...{ name: 'Mari Maasikas', email: 'mari@example.ee', phone: '+372.5123456' },
  ...{ ident: '38001085718', ident_type: 'priv', ident_country_code: 'EE' },
};

/** A registry with a contact for each of these overrides: ALPHA:1, ALPHA:2 and so on. */
async function registryWith(...contacts: object[]) {
  const registry = await tool.newRegistry('ALPHA');
  const rows = contacts.map((contact, index) => ({
    ...{ code: `ALPHA:${index + 1}`, ...fields, ...contact },
  }));
  await registry.done('contact import - --registrar ALPHA', csvOf(...rows));
  return {
    registry,
    async demandOf(code: string) {
      const { contact } = await registry.done(`contact show ${code}`);
      return contact.verification_demand;
    },
    async notifications() {
      const { notifications } = await registry.rows();
      return (notifications as { event: string; text: string; fields: string }[]).map(
        ({ event, text, fields }) => [event, text, fields],
      );
    },
  };
}

const asking = (code: string) => `contact demand ${code} --claims email,identity --by 2099-01-31`;

test('a demand is kept with its contact, and its registrar is notified', async () => {
  const { registry, demandOf, notifications } = await registryWith({});
  await registry.done(
    'domain import -',
    'name,registrar,registrant,admin\na.ee,ALPHA,ALPHA:1,ALPHA:1\n',
  );
  expect(await registry.run(asking('alpha:1'))).toMatchObject({
    status: 0,
    stdout:
      'changed contact ALPHA:1: verification_demand: null to {"claims":["identity","email"],"by":"2099-01-31"}\n',
    stderr: expect.stringMatching(/; take back: npm run registry -- history revert /),
  });
  expect(await demandOf('ALPHA:1')).toEqual({ claims: ['identity', 'email'], by: '2099-01-31' });
  const text =
    'Contact ALPHA:1 must be verified by 2099-01-31: identity, email; 1 domain refers to it';
  expect(await notifications()).toEqual([
    ['contact.verification_required', text, '["verification_demand"]'],
  ]);
});

test('a demand is taken back, and its registrar is notified', async () => {
  const { registry, demandOf, notifications } = await registryWith({});
  const { request_id: request } = await registry.done(asking('ALPHA:1'));
  await registry.done(`history revert ${request} --yes`);
  expect(await demandOf('ALPHA:1')).toBeNull();
  await registry.done(asking('ALPHA:1'));
  await registry.done('contact demand ALPHA:1 --withdraw');
  expect(await demandOf('ALPHA:1')).toBeNull();
  const told = (await notifications()).map(([event]) => event);
  const required = 'contact.verification_required';
  expect(told).toEqual([required, 'contact.updated', required, 'contact.updated']);
});

test('what is verified already is named, and changes nothing if it is all that is asked for', async () => {
  const all = { identity_verification: verification(), email_verification: verification() };
  const { registry, demandOf, notifications } = await registryWith(
    { email_verification: verification() },
    { ...all, verification_demand: { claims: ['name'], by: '2099-12-31' } },
    { ...all, email_verification: verification({ result: 'ended' }) },
  );
  const { stdout } = await registry.run(asking('ALPHA:1'));
  expect(stdout).toMatch(/; verified already: email\n$/);
  expect(await demandOf('ALPHA:1')).toEqual({ claims: ['identity', 'email'], by: '2099-01-31' });
  const [[, notice]] = (await notifications()) as [string[]];
  expect(notice).toContain(' by 2099-01-31: identity; ');
  expect(await registry.done(asking('ALPHA:2'))).toMatchObject({
    verified: ['identity', 'email'],
    changed: false,
  });
  expect(await demandOf('ALPHA:2')).toMatchObject({ claims: ['name'] });
  expect(await registry.done(asking('ALPHA:3'))).toMatchObject({ verified: ['identity'] });
});

test.each([
  ['a day that is past', '--claims name --by 2020-01-01', '2020-01-01 is past [by]'],
  ['what is not a day', '--claims name --by 2099-02-30', 'by is not a day such as 2027-01-31'],
  [
    'an unknown claim',
    '--claims age --by 2099-01-01',
    'claims may be identity, name, email, phone, address',
  ],
])('a demand with %s is refused', async (_, words, message) => {
  const { registry } = await registryWith({});
  const { status, stderr } = await registry.run(`contact demand ALPHA:1 ${words}`);
  expect([status, stderr]).toEqual([1, `refused: ${message}\n`]);
});

test('a demand may be due on its own day', () => {
  const demand = { claims: ['name'], by: '2026-05-06' };
  expect(readDemand(demand, new Date('2026-05-06T23:59:59.999Z'))).toEqual(demand);
});

test('the contacts of a file get the demands of its rows, or those of the command', async () => {
  const { registry, demandOf } = await registryWith({}, {}, { phone_verification: verification() });
  const file = await registry.file(
    'demands.csv',
    'code,claims,by\nALPHA:1,,\nalpha:2,"email, phone",2099-12-31\nALPHA:3,phone,\n',
  );
  const command = `contact demand --file ${file} --claims identity --by 2099-01-31`;
  const { stdout, stderr } = await registry.run(command);
  expect(stdout).toBe('changed the demands on 2 contacts; 1 unchanged\n');
  expect(await demandOf('ALPHA:1')).toEqual({ claims: ['identity'], by: '2099-01-31' });
  expect(await demandOf('ALPHA:2')).toEqual({ claims: ['email', 'phone'], by: '2099-12-31' });
  expect(await demandOf('ALPHA:3')).toBeNull();
  // A demand that it has replaced would not come back.
  expect(stderr).not.toContain('take back');
  expect(await registry.done(command)).toMatchObject({ changed: false, unchanged: 3 });
  const withdrawal = `contact demand --withdraw --file ${file}`;
  expect(await registry.done(withdrawal)).toMatchObject({ changed: true, changed_contacts: 2 });
  expect(await demandOf('ALPHA:2')).toBeNull();
});

test('a file with a row that is wrong demands nothing', async () => {
  const { registry, demandOf } = await registryWith({});
  const rows =
    'code,by\nALPHA:1,2099-01-01\nALPHA:9,2099-01-01\nALPHA:1,2099-01-01\nALPHA:2,2020-01-01\n';
  const { status, stderr } = await registry.run('contact demand --file - --claims name', rows);
  expect([status, stderr.split('\n')]).toEqual([
    1,
    [
      'refused: standard input:3: there is no contact ALPHA:9 [code]',
      'refused: standard input:4: ALPHA:1 is already in line 2',
      'refused: standard input:5: 2020-01-01 is past [by]',
      '',
    ],
  ]);
  expect(await demandOf('ALPHA:1')).toBeNull();
  const missing = await registry.run('contact demand --file - --claims name', 'code\nALPHA:1\n');
  expect(missing.stderr).toBe('refused: standard input:2: by is not a day such as 2027-01-31\n');
});

test('a contact is shown with what was checked, asked for and requested, in words', async () => {
  const at = '2026-01-02T03:04:05.678Z';
  const person = { country_code: 'EE', ident: '47101010033', name: null };
  const { registry } = await registryWith({
    identity_verification: verification({ framework: 'eidas', reference: 'N-1' }),
    email_verification: verification({ result: 'ended', method: 'email' }),
    verification_demand: { claims: ['name', 'email'], by: '2099-01-31' },
    identity_request: { id: '11', sent_at: at, pending: { since: at, ...person } },
  });
  const { stdout } = await registry.run('contact show ALPHA:1');
  const shown = stdout
    .replaceAll(/id: [0-9a-f-]{36}; /g, '')
    .split('\n')
    .filter((line) => /verification|request/.test(line));
  expect(shown).toEqual([
    `identity_verification: method: eid; framework: eidas; reference: N-1; result: success; verified_at: ${at}; verified_by: Operator test`,
    'name_verification:     -',
    `email_verification:    method: email; result: ended; verified_at: ${at}; verified_by: Operator test`,
    'phone_verification:    -',
    'address_verification:  -',
    'verification_demand:   claims: name, email; by: 2099-01-31',
    `identity_request:      id: 11; sent_at: ${at}; pending: since: ${at}; country_code: EE; ident: 47101010033`,
  ]);
});

test('lists the contacts whose identity is not verified, and those that are overdue', async () => {
  const { registry } = await registryWith(
    { identity_verification: verification() },
    { identity_verification: verification({ result: 'ended' }) },
    { verification_demand: { claims: ['name'], by: '2020-01-31' } },
    { verification_demand: { claims: ['name'], by: '2099-01-31' } },
    {
      name_verification: verification(),
      verification_demand: { claims: ['name'], by: '2020-01-31' },
    },
  );
  const codes = async (words: string) => {
    const { contacts } = await registry.done(`contact list ${words}`);
    return (contacts as { code: string }[]).map(({ code }) => code);
  };
  expect(await codes('--unverified')).toEqual(['ALPHA:2', 'ALPHA:3', 'ALPHA:4', 'ALPHA:5']);
  expect(await codes('--overdue')).toEqual(['ALPHA:3']);
});

test('health warns of overdue demands', async () => {
  const { registry } = await registryWith({
    verification_demand: { claims: ['name'], by: '2020-01-31' },
  });
  const { stdout } = await registry.run('health');
  expect(stdout).toContain(
    '\nwarning verification_overdue: Contacts with overdue demands for verification: 1 ' +
      `(npm run registry -- contact list --overdue --persist-to ${registry.directory}).\n`,
  );
});

test('a file with a check of what the contact does not have is refused', async () => {
  const { registry } = await registryWith({});
  const rows = csvOf({
    ...{ code: 'ALPHA:9', ...fields, address_verification: verification() },
  });
  expect(await registry.run('contact import - --registrar ALPHA', rows)).toMatchObject({
    status: 1,
    stderr: 'refused: standard input:2: ALPHA:9 has no address to verify [address_verification]\n',
  });
  const ended = verification({ result: 'ended' });
  const kept = csvOf({ ...{ code: 'ALPHA:9', ...fields, address_verification: ended } });
  await registry.done('contact import - --registrar ALPHA', kept);
});

test('a demand is open again when its check is ended, and met when that is taken back', async () => {
  const { registry } = await registryWith({
    email_verification: verification(),
    verification_demand: { claims: ['email'], by: '2099-01-31' },
  });
  const shown = async () => {
    const { stdout } = await registry.run('contact show ALPHA:1');
    return /verification_demand: +(.*)/.exec(stdout)![1];
  };
  expect(await shown()).toBe('-');
  const update = 'contact update ALPHA:1 --email mari@example.com';
  const { request_id: request } = await registry.done(update);
  expect(await shown()).toBe('claims: email; by: 2099-01-31');
  await registry.done(`history revert ${request} --yes`);
  expect(await shown()).toBe('-');
});

test('what is listed of a contact whose demand is met can be imported again', async () => {
  const { registry } = await registryWith({
    email_verification: verification(),
    verification_demand: { claims: ['email'], by: '2099-01-31' },
  });
  const { stdout: rows } = await registry.run('contact list --csv');
  expect(await registry.done('contact import - --update', rows)).toMatchObject({ changed: false });
});
