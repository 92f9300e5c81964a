import { existsSync } from 'node:fs';
import { chmod, cp } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loadProgram, runProgram } from '../../src/tool/program.ts';
import { projectVersion } from '../../src/tool/project.ts';
import { captured } from './captured.ts';
import { everyCommand, helpOf, isVerb } from './program.ts';
import { startTool, TestRegistry } from './tool.ts';

const tool = startTool();
const program = await loadProgram();

const commands = everyCommand(program);
const verbs = commands.filter(isVerb);

test('the tool has help with an example on every level', () => {
  expect(helpOf(program)).toContain('Example:\n  npm run registry -- registrar add');
  for (const [words, command] of commands) {
    const example = `npm run registry -- ${words}`;
    expect(helpOf(command)).toMatch(new RegExp(`Examples?:\n  ${example}( |\n)`));
  }
});

test('has in the help of a noun the options and arguments that it takes without a verb', () => {
  for (const [noun, verb] of ['history show', 'backup write'].map((words) => words.split(' '))) {
    const [help, helpOfVerb] = [noun, `${noun} ${verb}`].map((words) =>
      helpOf(commands.find(([name]) => name === words)![1]),
    );
    for (const part of helpOfVerb!.match(/^(Arguments|Options):\n( .+\n)+/gm)!) {
      expect(help).toContain(part);
    }
  }
});

test('says of each column of an import what it holds, and whether it is required', () => {
  const importOf = (noun: string) =>
    helpOf(verbs.find(([words]) => words === `${noun} import`)![1]);
  const [, required, optional] = importOf('contact').split(/(?:Required|Optional) columns:\n/);
  const names = (text = '') => [...text.matchAll(/^ {2}([a-z_]+) +\S/gm)].map(([, name]) => name);
  expect(names(required)).toEqual(
    'code name email phone ident ident_type ident_country_code'.split(' '),
  );
  expect(names(optional)).toEqual(
    'registrar org_name fax street city zip state country_code auth_info statuses status_notes disclosed_attributes legacy_id identity_verification name_verification email_verification phone_verification address_verification verification_demand identity_request'.split(
      ' ',
    ),
  );
  expect(optional).toContain('separated by spaces or commas: name email\n');
  expect(importOf('domain')).toContain(
    '  admin       codes of contacts, separated by spaces or commas;',
  );
  expect(importOf('retained')).toContain('  status    reserved or blocked;');
  expect(importOf('auction')).toContain('  name  the domain in its Unicode form');
});

test('takes --json on every verb, and --dry-run on every one that writes', () => {
  const reading = [
    ...['diagnose', 'list', 'looks', 'show', 'export', 'issue', 'health', 'name', 'desk'],
    ...['lists archive', 'lists status', 'restore', 'backup write'],
  ];
  for (const [words, { options }] of verbs) {
    const flags = options.map(({ long }) => long);
    if (['backup verify', 'move-in', 'reconcile'].includes(words)) {
      expect(flags).toContain('--json');
      continue;
    }
    expect(flags).toEqual(
      expect.arrayContaining(['--persist-to', '--remote', '--env', '--yes', '--json']),
    );
    expect({ words, dryRun: flags.includes('--dry-run') }).toEqual({
      words,
      dryRun: !reading.some((end) => words.endsWith(end)),
    });
  }
});

/** Nothing here gets as far as a database: opening this one is refused with status 1. */
const nowhere = new TestRegistry('/nonexistent');

test.each([
  ['an unknown noun', 'registar list', "unknown command 'registar'\n(Did you mean registrar?)"],
  ['an unknown verb', 'registrar lst', "unknown command 'lst'\n(Did you mean list?)"],
  ['an unknown option', 'registrar list --jsn', "unknown option '--jsn'\n(Did you mean --json?)"],
  ['a verb with another word', 'registrar create', "'create'\n(Did you mean add?)"],
  ['a verb of another noun', 'domain delete x.ee', "'delete'\n(Did you mean remove?)"],
  ['a verb without a word of its own', 'contact create', "'create'\n(Did you mean import?)"],
  ['no address', ['registrar', 'update', 'A', '--allow-ip', ''], 'It must name an address.'],
  ['no name', ['retained', 'add', '', '--status', 'reserved'], 'It names nothing.'],
  ['nothing but commas', ['retained', 'remove', ' ,', '--status', 'blocked'], 'It names nothing.'],
  ['an auction of no name', ['auction', 'start', ''], 'It names nothing.'],
  ['a removal of no name', ['domain', 'remove', ' '], 'It names nothing.'],
  ['no contact', ['contact', 'show', ' '], '<code> is empty'],
  ['the history of nothing', ['history', 'contact', ''], '<key> is empty'],
  ['an empty filter', ['contact', 'list', '--ident', ' '], '--ident is empty'],
  ['a filter of one that is empty', ['history', '--by', ''], '--by is empty'],
  ['a missing option', 'registrar add --code A', "required option '--name <name>' not specified"],
  ['a missing argument', 'auction show', "missing required argument 'auction'"],
  [
    'a change of nothing',
    'registrar update ALPHA',
    'give --name, --phone, --email, --website, --allow-ip, --allow-all, --webhook or --no-webhook',
  ],
  ['a certificate of nobody', 'certificate require --off', 'give --user or --system'],
  [
    'a fingerprint that is not one',
    'certificate bind --user a --fingerprint AB',
    'It must be a SHA-256',
  ],
  ['a change of no field', 'contact update ALPHA:1', 'give --name, '],
  [
    'an export to a file that would not be CSV',
    'retained export names.ndjson',
    "'names.ndjson' is invalid for argument 'file'. The file must be CSV.",
  ],
  [
    'an import of a workbook',
    'contact import contacts.xlsx',
    "'contacts.xlsx' is invalid for argument 'file'. The file must be CSV.",
  ],
  [
    'a demand of a contact and of a file',
    'contact demand ALPHA:1 --file x.csv',
    'give either a contact or --file',
  ],
  ['a demand of no contact', 'contact demand', 'give either a contact or --file'],
  [
    'a withdrawal with a day',
    'contact demand ALPHA:1 --withdraw --by 2099-01-01',
    "option '--withdraw' cannot be used with option '--by <day>'",
  ],
  ['a demand of nothing', 'contact demand ALPHA:1', 'give --claims and --by, or --withdraw'],
  [
    'a demand without a day',
    'contact demand ALPHA:1 --claims name',
    'give --claims and --by, or --withdraw',
  ],
  ['a move to nowhere', 'move-in DIR', 'move-in writes a file: move-in DIRECTORY --to FILE'],
  [
    'deleted contacts of anybody',
    'contact list --deleted',
    '--deleted belongs to --ident or --email',
  ],
  ['an unknown value', 'retained list --status x', 'Allowed choices are reserved, blocked.'],
  ['a value that is not a number', 'history --last x', '(see npm run registry -- history --help)'],
  ['an unknown noun', 'hisotry NAME', '(see npm run registry -- --help)'],
  ['an unknown verb', 'registrar lst', '(see npm run registry -- registrar --help)'],
  [
    'an unknown verb of a noun that has one without a name',
    'history revrt 1',
    'history has neither a subject nor a verb "revrt"; the subjects are registrar, api-user',
  ],
  ['options that exclude each other', 'lists status --remote', 'cannot be used with option'],
])('calls %s wrong usage', async (_, args, message) => {
  const { status, stdout, stderr } = await nowhere.run(args);
  expect(stderr).toContain(message);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
});

test('answers wrong usage in JSON as well', async () => {
  const { status, stdout, stderr } = await nowhere.run('registrar lst --json');
  expect({ status, stderr }).toEqual({ status: 2, stderr: '' });
  expect(JSON.parse(stdout)).toEqual({
    errors: [{ reason: 'usage', message: "unknown command 'lst'\n(Did you mean list?)" }],
  });
});

test('says its version', async () => {
  const { status, stdout } = await captured(() => runProgram(['--version']));
  expect({ status, stdout: stdout.trimEnd() }).toEqual({ status: 0, stdout: projectVersion() });
});

test('names what it has no permission to write', async ({ skip }) => {
  if (process.getuid?.() === 0) skip('root may write everything');
  const registry = await tool.newRegistry();
  const copy = path.join(await tool.newDirectory(), 'copy');
  await cp(registry.directory, copy, { recursive: true });
  await chmod(copy, 0o500);
  const add = ['registrar', 'add', '--code', 'ALPHA', '--name', 'Alpha', '--persist-to', copy];
  expect(await captured(() => runProgram(add))).toMatchObject({
    status: 1,
    stderr: `failed: ${copy}: no permission to write it\n`,
  });
});

test('ends if the temporary directory cannot be written', async () => {
  const { directory } = await tool.newRegistry();
  const temporary = path.join(directory, 'absent');
  vi.stubEnv('TMPDIR', temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  const add = ['registrar', 'add', '--code', 'ALPHA', '--name', 'Alpha', '--persist-to', directory];
  expect(await captured(() => runProgram(add))).toMatchObject({
    status: 1,
    stderr: `refused: ${temporary} does not exist\n`,
  });
});

test('says how to create a local database that is not there, and creates none', async () => {
  const directory = path.join(await tool.newDirectory(), "mari's typo");
  const { status, stderr } = await new TestRegistry(directory).run(['registrar', 'list']);
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: `refused: there is no local database in ${directory}; create an empty one with: npm start -- --no-demo --persist-to '${directory.replace("'", "'\\''")}'\n`,
  });
  expect(existsSync(directory)).toBe(false);
});
