import { beforeAll, expect, test } from 'vitest';
import { startTool } from './tool.ts';

const registry = startTool().sharedRegistry('ALPHA', 'BETA');

const header = 'registrar,code,name,email,phone,ident,ident_type,ident_country_code\n';
const rows = `ALPHA,ALPHA:1,Jaan Tamm,jaan@example.ee,+372.5123456,38001085718,priv,EE
ALPHA,ALPHA:2,Mari Maasikas,mari@example.ee,+372.5123457,47101010033,priv,EE
ALPHA,ALPHA:3,Tamm OÜ,info@example.ee,+372.5123458,12345678,org,EE
BETA,BETA:1,Kask OÜ,kask@example.ee,+372.5123459,12345679,org,EE
`;

beforeAll(async () => {
  await registry.done('contact import -', header + rows);
  // As a former registry accepted them.
  registry.edit(`
    update contacts set phone = '+3725123457', email = '', email_key = '' where code = 'ALPHA:2';
    update contacts set ident_type = 'passport', statuses = '["serverHold"]' where code = 'ALPHA:3';
    update contacts set ident = '1234', ident_key = '1234' where code = 'BETA:1';`);
});

test('lists the contacts whose values today’s rules refuse, with each field and its reason', async () => {
  const list = ['contact', 'list', '--invalid'];
  const { stdout } = await registry.run(list);
  expect(stdout).toBe(
    [
      'ALPHA:2: email is missing [email]',
      'ALPHA:2: Phone nr is invalid: "+3725123457" [phone]',
      'ALPHA:3: Ident type is invalid: "passport" [ident_type]',
      'BETA:1: Ident code does not conform to national identification number format of Estonia: "1234" [ident]',
      '',
    ].join('\n'),
  );
  const ofBeta = await registry.run([...list, '--registrar', 'BETA', '--json']);
  expect(JSON.parse(ofBeta.stdout)).toEqual({
    registrar: 'BETA',
    code: 'BETA:1',
    invalid: [
      {
        reason: 'identity_invalid',
        message: 'Ident code does not conform to national identification number format of Estonia',
        ...{ field: 'ident', value: '1234' },
        detail: 'Expected: for Estonia, eight digits.',
      },
    ],
  });
  const none = [...list, '--name', 'Jaan'];
  expect((await registry.run(none)).stdout).toBe('there are no such contacts\n');
  expect((await registry.run([...none, '--json'])).stdout).toBe('');
});

test('shows and exports what a former registry accepted', async () => {
  const former = { ident_type: 'passport', statuses: ['serverHold'] };
  expect(await registry.done('contact show ALPHA:3')).toMatchObject({ contact: former });
  expect(await registry.done(['contact', 'list', '--name', 'Tamm OÜ'])).toMatchObject({
    contacts: [former],
  });
  const { stdout } = await registry.run('contact export --registrar ALPHA --json');
  const exported = stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  expect(exported).toMatchObject([{}, { email: '' }, { ident_type: 'passport' }]);
});

test('takes away a status that is unknown today, but not one that the contact does not have', async () => {
  const remove = ['contact', 'status', 'ALPHA:3', '--remove'];
  expect(await registry.run([...remove, 'serverHolt'])).toMatchObject({
    status: 1,
    stderr: 'refused: "serverHolt" is not a status [remove]\n',
  });
  expect(await registry.done([...remove, 'serverHold'])).toMatchObject({
    changes: { statuses: { from: ['serverHold'], to: [] } },
  });
});

test('prints no auth_info, and no character that a terminal would obey', async () => {
  const code = 'ALPHA:1';
  registry.edit(`
    update contacts set name = 'A' || char(7, 155, 8238, 917505), auth_info = 'open' || char(9) || 'sesame'
    where code = '${code}';
    update contacts set name_key = name where code = '${code}'`);
  const list = ['contact', 'list', '--invalid', '--name', 'A\u0007'];
  const { stdout } = await registry.run(list);
  expect(stdout).toBe(
    `${code}: Name is invalid: contains an invisible character (U+0007): "A\\u0007\\u{9b}\\u{202e}\\u{e0001}" [name]\n` +
      `${code}: Auth info is invalid: contains an invisible character (U+0009) [auth_info]\n`,
  );
  const { stdout: json } = await registry.run([...list, '--json']);
  expect(JSON.parse(json).invalid[1]).toEqual({
    ...{
      reason: 'invalid',
      message: 'Auth info is invalid: contains an invisible character (U+0009)',
      field: 'auth_info',
    },
  });
});
