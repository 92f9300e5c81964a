import { expect, test } from 'vitest';
import { startTool } from './tool.ts';

const tool = startTool();

const contact = {
  code: 'ALPHA:TAMM',
  uuid: '7c2f1a34-0e0b-4f43-9a54-0d2f6a7b8c91',
  name: 'Jaan Tamm',
  email: 'jaan@example.ee',
  phone: '+372.5123456',
  ident: '38001085718',
  ident_type: 'priv',
  ident_country_code: 'EE',
};
const lines = (text: string) => text.trimEnd().split('\n');
const backups =
  'Time Travel keeps the values for up to 30 days, nightly backups for up to a year, and files that were exported or archived as long as you keep them';

test('contact erase shows what would go and what stays, and then does it', async () => {
  const registry = await tool.newRegistry('ALPHA');
  const other = { ...contact, code: 'ALPHA:TAMM-WORK', uuid: undefined };
  const rows = [contact, other].map((row) => `${JSON.stringify(row)}\n`).join('');
  const args = ['contact', 'import', '-', '--registrar', 'ALPHA', '--format', 'ndjson'];
  await registry.done(args, rows);
  const before = await registry.rows();

  const dry = await registry.run('contact erase alpha:tamm --dry-run');
  expect(lines(dry.stdout)).toEqual([
    `would erase contact ALPHA:TAMM (${contact.uuid})`,
    '  contact: deleted, with name, ident, email, phone, creator_str',
    '  history: values of name, ident, email, phone removed from 1 entry; who changed which fields, and when, stays',
    '  copies kept for repeated requests: 0 deleted',
    '  not erased, with the same identity: ALPHA:TAMM-WORK',
    backups,
  ]);
  expect(await registry.rows()).toEqual(before);

  expect(await registry.done(['contact', 'erase', contact.uuid, '--yes'])).toEqual({
    contact: {
      code: 'ALPHA:TAMM',
      uuid: contact.uuid,
      fields: ['name', 'ident', 'email', 'phone', 'creator_str'],
    },
    history: { entries: 1, fields: ['name', 'ident', 'email', 'phone'], actors: [] },
    outcomes: 0,
    others: ['ALPHA:TAMM-WORK'],
    deleted_others: [],
    backups,
    changed: true,
  });
  expect(await registry.run('contact erase ALPHA:TAMM')).toMatchObject({
    status: 0,
    stdout: `nothing is left to erase of contact ALPHA:TAMM\n${backups}\n`,
  });
  const { history } = await registry.done('history contact ALPHA:TAMM');
  expect(history).toMatchObject([
    { action: 'create', changes: { name: { removed: true }, ident_type: { to: 'priv' } } },
    { action: 'delete', changes: { name: { removed: true } } },
  ]);
  const text = await registry.run('history contact ALPHA:TAMM');
  expect(text.stdout).toContain('    name: changed (values removed)\n');
}, 120_000);

test('contact erase and contact list --deleted name the deleted contacts with an identity, until they are erased', async () => {
  const registry = await tool.newRegistry('ALPHA', 'BETA');
  const rows = ['ALPHA:OLD', 'ALPHA:TAMM', 'BETA:OLD'].map((code) => {
    const row = { ...contact, code, uuid: undefined, registrar: code.split(':')[0] };
    return `${JSON.stringify(row)}\n`;
  });
  await registry.done(['contact', 'import', '-', '--format', 'ndjson'], rows.join(''));
  const list = ['contact', 'list', '--ident', '380010-85718', '--deleted'];
  expect(await registry.done(list)).toEqual({ contacts: [] });
  for (const code of ['ALPHA:OLD', 'BETA:OLD']) {
    await registry.done(['contact', 'delete', code, '--yes']);
  }
  const { contacts } = await registry.done(list);
  expect(contacts).toEqual(
    ['ALPHA', 'BETA'].map((registrar) => ({
      code: `${registrar}:OLD`,
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      registrar,
      deleted_at: expect.stringMatching(/Z$/),
    })),
  );
  expect(await registry.done([...list, '--registrar', 'BETA'])).toEqual({
    contacts: [contacts[1]],
  });
  const [{ uuid: alphas }, { uuid: betas }] = contacts;
  const dry = await registry.run(['contact', 'erase', 'ALPHA:TAMM', '--dry-run']);
  expect(lines(dry.stdout)).toContain(
    `  not erased, with the same identity: ${alphas} (ALPHA:OLD, deleted), ${betas} (BETA:OLD, deleted)`,
  );
  const erased = await registry.done(['contact', 'erase', alphas, '--yes']);
  expect(erased).toMatchObject({
    others: ['ALPHA:TAMM'],
    deleted_others: [{ code: 'BETA:OLD', uuid: betas }],
  });
  const left = await registry.run(list);
  expect(lines(left.stdout).map((line) => line.split(/ +/)[0])).toEqual(['CODE', 'BETA:OLD']);
});

test('contact list --deleted belongs to --ident', async () => {
  const registry = await tool.newRegistry();
  for (const others of [[], ['--ident', '38001085718', '--name', 'Tamm']]) {
    expect(await registry.run(['contact', 'list', '--deleted', ...others])).toMatchObject({
      status: 2,
    });
  }
});

test('contact erase erases again what a restore has brought back', async () => {
  const registry = await tool.newRegistry('ALPHA');
  const row = `${JSON.stringify({ ...contact, creator_str: '77-RegistrantUser: Jaan Tamm' })}\n`;
  const args = ['contact', 'import', '-', '--registrar', 'ALPHA', '--format', 'ndjson'];
  await registry.done(args, row);
  const text = async () => JSON.stringify(await registry.rows());
  const file = `${registry.directory}/backup.sqlite`;
  await registry.done(['backup', file]);
  const erase = () => registry.done(['contact', 'erase', contact.uuid, '--yes']);
  await erase();
  expect(await text()).not.toContain('Jaan Tamm');
  await registry.done(['restore', file, '--yes']);
  expect(await text()).toContain('Jaan Tamm');
  await erase();
  for (const value of ['Jaan Tamm', contact.ident, contact.email, contact.phone]) {
    expect(await text()).not.toContain(value);
  }
});
