import { expect, test } from 'vitest';
import { startTool } from './tool.ts';

const registry = startTool().sharedRegistry('ALPHA', 'BETA');

test.each([
  'EE 38001085718',
  'EE38001085718',
  'PNOEE-38001085718',
  ' 38001085718\u00a0',
  '\u202a38001085718\u202c',
])('finds the contacts of a person whose code is pasted as %j', async (ident) => {
  await registry.addContacts('ALPHA:1').catch(() => {});
  registry.edit(
    `update contacts set ident = '38001085718', ident_key = '38001085718', ident_country_code = 'EE'`,
  );
  const { contacts } = (await registry.done(['contact', 'list', '--ident', ident])) as {
    contacts: { code: string }[];
  };
  expect(contacts.map(({ code }) => code)).toEqual(['ALPHA:1']);
});

test('finds what is looked up with blanks and invisible characters around it', async () => {
  const { contacts } = (await registry.done('contact list')) as { contacts: { email: string }[] };
  const { email } = contacts[0]!;
  for (const pasted of [` ${email} `, `mailto:${email}`, `Mari <${email}>`, `${email}\u200b`]) {
    const found = await registry.done(['contact', 'list', '--email', pasted]);
    expect({ pasted, found }).toMatchObject({ found: { contacts: [{ code: 'ALPHA:1' }] } });
  }
  expect(await registry.done(['contact', 'show', ' alpha:1\u00a0'])).toMatchObject({
    contact: { code: 'ALPHA:1' },
  });
  const { history } = (await registry.done(['history', 'registrar', ' ALPHA'])) as {
    history: unknown[];
  };
  expect(history).not.toEqual([]);
});

test('reads nothing into what a command would change', async () => {
  const { status } = await registry.run(['contact', 'delete', ' ALPHA:1', '--yes']);
  expect(status).toBe(1);
});

test('names what was looked for and is not there', async () => {
  const missed = await registry.run([
    'contact',
    'list',
    '--email',
    'x@y.ee',
    '--registrar',
    'beta',
  ]);
  expect(missed).toMatchObject({
    stdout: 'there are no contacts with --email "x@y.ee" --registrar "BETA"\n',
    status: 0,
  });
});
