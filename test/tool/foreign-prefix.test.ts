import path from 'node:path';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { beforeAll, expect, test } from 'vitest';
import { loadProgram } from '../../src/tool/program.ts';
import { everyCommand, isVerb } from './program.ts';
import { contactHeader, startTool } from './tool.ts';

/** Contacts of ALPHA whose codes moved in with BETA's prefix: the tool takes them for ALPHA's. */

/** The words of each command that takes the code of a contact; CODE stands for it. */
const calls: Record<string, string> = {
  'contact looks': 'CODE',
  'contact show': 'CODE',
  'contact update': 'CODE --phone +372.777',
  'contact status': 'CODE --add serverUpdateProhibited',
  'contact demand': 'CODE --claims name --by 2099-01-31',
  'contact delete': 'CODE',
  'contact erase': 'CODE',
  'contact transfer': 'CODE --to ALPHA',
  'disclosure open':
    '--contact CODE --requester Mari --identified-by card --organization Police --basis case --fields name',
  'disclosure list': '--contact CODE',
  'domain list': '--contact CODE',
  'domain update': 'õun.ee --registrant CODE --admin CODE --tech CODE',
};

/** Options that take the code of a registrar or a person. */
const ofOthers = ['--registrar', '--code', '--fallback-registrar', '--ident'];

const takesCode = ([name, { registeredArguments, options }]: [string, CommandUnknownOpts]) =>
  (name.startsWith('contact ') && registeredArguments.some((one) => /^code/.test(one.name()))) ||
  options.some(({ flags, long }) => /<code/.test(flags) && !ofOthers.includes(long!));

const takingCodes = everyCommand(await loadProgram())
  .filter((each) => isVerb(each) && takesCode(each))
  .map(([name]) => name);

const codeFor = (name: string) => `BETA:${name.replace(' ', '-').toUpperCase()}`;

const tool = startTool();
const registry = tool.sharedRegistry();
beforeAll(async () => {
  const contact = (code: string, n: number) => `
    insert into contacts (uuid, registrar_id, number, code, name, name_key, email, email_key, phone, ident, ident_key,
      ident_type, ident_country_code, auth_info, created_at, updated_at)
    values ('00000000-0000-4000-8000-${String(n).padStart(12, '0')}', 1, ${n}, '${code}', 'Mari', 'MARI',
      'mari@example.ee', 'MARI@EXAMPLE.EE', '+372.5123456', '12345678', '12345678', 'org', 'EE', 'secret',
      '2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.678Z');`;
  registry.edit(`
    insert into registrars (id, code, name, created_at, updated_at)
    values (1, 'ALPHA', 'Alpha', '', ''), (2, 'BETA', 'Beta', '', '');
    ${[...takingCodes.map(codeFor), 'BETA:HERE'].map(contact).join('')}
    insert into domains (name, punycode, registrar_id, created_at) values ('õun.ee', 'xn--un-lka.ee', 1, '')`);
});

test.each(takingCodes)('%s takes the contact for its registrar’s', async (name) => {
  const words = calls[name];
  if (words === undefined) throw new Error(`say in calls how ${name} takes the code of a contact`);
  const code = codeFor(name);
  const args = words.split(' ').map((word) => (word === 'CODE' ? code : word));
  await registry.done([...name.split(' '), ...args, '--yes']);
  const rows = (await registry.rows()) as Record<string, Record<string, unknown>[]>;
  const notified = rows.notifications!.filter((row) => row.subject_key === code);
  const told = rows.history!.filter((row) => row.subject_key === code);
  for (const entry of told) expect(entry).toMatchObject({ registrar: 'ALPHA' });
  expect(notified.map(({ registrar_id: id }) => id)).toEqual(told.map(() => 1));
});

test('contact import finds such a contact as contact export has written it', async () => {
  const file = path.join(await tool.newDirectory(), 'contacts.csv');
  await registry.done(['contact', 'export', file, '--registrar', 'ALPHA']);
  const imported = await registry.done(['contact', 'import', file]);
  expect(imported).toMatchObject({ added: 0, changed: false });
  expect(imported.unchanged).toBeGreaterThan(0);
});

test('contact import gives a contact to nobody whom neither the file nor the command names', async () => {
  const rows = `${contactHeader}BETA:NEW,Mari,mari@example.ee,+372.5123456,12345678,org,EE\n`;
  const { status, stderr } = await registry.run('contact import -', rows);
  expect(status).toBe(1);
  expect(stderr).toContain('registrar is missing: name it in the column or with --registrar');
});
