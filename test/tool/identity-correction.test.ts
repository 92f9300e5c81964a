import { beforeAll, expect, test } from 'vitest';
import { startTool } from './tool.ts';

const registry = startTool().sharedRegistry('ALPHA');

beforeAll(() => registry.addContacts('ALPHA:1'));

const update = ['contact', 'update', 'ALPHA:1'];
const codesOf = async (ident: string) => {
  const { contacts } = await registry.done(['contact', 'list', '--ident', ident]);
  return contacts.map(({ code }: { code: string }) => code);
};

test('corrects an identity once it is confirmed, tells the registrar, and takes it back', async () => {
  const corrected = ['--ident', '47101010033', '--city', 'Tartu'];
  const before = await registry.rows();
  expect(await registry.run([...update, ...corrected])).toMatchObject({
    status: 1,
    stderr:
      'refused: This changes whose contact it is: ident: "38001085718" to "47101010033"; city: null to "Tartu".' +
      ' There is no terminal to ask on; confirm with --yes\n',
  });
  expect(await registry.rows()).toEqual(before);

  const changes = {
    ident: { from: '38001085718', to: '47101010033' },
    ident_country_code: { from: 'EE', to: 'LV' },
  };
  const args = ['--ident', '47101010033', '--ident-country-code', 'lv', '--yes'];
  expect(await registry.done([...update, ...args])).toEqual({
    ...{ code: 'ALPHA:1', changed: true, changes, request_id: expect.any(String) },
  });
  expect([await codesOf('38001085718'), await codesOf('47101010033')]).toEqual([[], ['ALPHA:1']]);
  const { history } = await registry.done('history contact ALPHA:1');
  expect(history.at(-1)).toMatchObject({ actor_type: 'operator', changes });
  const { notifications } = await registry.rows();
  expect(notifications).toMatchObject([{ fields: '["ident","ident_country_code"]' }]);

  await registry.done(['history', 'revert', history.at(-1).request_id, '--yes']);
  expect([await codesOf('38001085718'), await codesOf('47101010033')]).toEqual([['ALPHA:1'], []]);
});

test.each([
  [
    ['--ident', '38001085719'],
    'Ident code does not conform to national identification number format',
  ],
  [['--ident-type', 'org'], 'Ident code does not conform to national identification number format'],
  [['--ident-type', 'passport'], 'Ident type is invalid [ident_type]'],
  [['--ident-country-code', 'XX'], 'Ident country code is invalid [ident_country_code]'],
  [['--ident', ''], 'Ident code is invalid [ident]'],
])('refuses the identity %j, as a creation does', async (args, reason) => {
  const before = await registry.rows();
  const { status, stderr } = await registry.run([...update, ...args, '--yes']);
  expect(status).toBe(1);
  expect(stderr).toContain(`refused: ${reason}`);
  expect(await registry.rows()).toEqual(before);
});

test('asks nothing where the identity is the one on record', async () => {
  expect(await registry.done([...update, '--ident-type', 'priv'])).toMatchObject({
    changed: false,
  });
});

test('refuses to correct a part of an identity whose other parts are invalid', async () => {
  registry.edit("update contacts set ident_type = 'passport', ident_country_code = ''");
  const { stderr } = await registry.run([...update, '--ident', '47101010033', '--yes']);
  expect(stderr).toBe(
    'refused: Ident type is invalid [ident_type]\n' +
      'refused: Ident country code is invalid [ident_country_code]\n',
  );
  const whole = ['--ident', '12345678', '--ident-type', 'org', '--ident-country-code', 'EE'];
  expect(await registry.done([...update, ...whole, '--yes'])).toMatchObject({ changed: true });
});
