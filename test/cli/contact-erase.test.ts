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
    '  contact: deleted, with name, ident, email, phone',
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
      fields: ['name', 'ident', 'email', 'phone'],
    },
    history: { entries: 1, fields: ['name', 'ident', 'email', 'phone'], actors: [] },
    outcomes: 0,
    others: ['ALPHA:TAMM-WORK'],
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
