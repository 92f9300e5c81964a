import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { runProgram } from '../../src/tool/program.ts';
import { captured } from './captured.ts';
import { contactHeader, startTool } from './tool.ts';

const tool = startTool();
const registry = tool.sharedRegistry('ALPHA');
let before: unknown;

beforeAll(async () => {
  await registry.done('retained add vana.ee --status reserved');
  before = await registry.rows();
}, 120_000);

async function expectRefused(args: string[], status: number, message: string): Promise<void> {
  const ended = await registry.run(args);
  expect(ended.stderr).toContain(message);
  expect({ status: ended.status, stdout: ended.stdout }).toEqual({ status, stdout: '' });
  expect(await registry.rows()).toEqual(before);
}

const header = 'name,status\n';
const good = 'hea.ee,reserved\n';

const named = `${header}${good}`;

/** The files, and the tool's words about them after their names. */
test.each<[content: string | Buffer, message: string]>([
  [`${named}Ää.ee,reserved`, ':3: "Ää.ee" contains capital letters; write "ää.ee"'],
  [`${named}nimi.ee,x`, ':3: "x" is neither reserved nor blocked [status]'],
  [`${named}nimi.ee,`, ':3: status is missing [status]'],
  [`${named}nimi.ee,reserved,x`, ':3: has 3 fields, but the header has 2'],
  [`${named}"nimi.ee,reserved`, ':3: is not CSV: Quote Not Closed'],
  [`${named}ni"mi.ee,reserved`, ':3: is not CSV: Invalid Opening Quote'],
  [Buffer.from(`${named}õ.ee,reserved`, 'latin1'), ':3: is not UTF-8, but perhaps Windows-1252'],
  ['hea.ee,reserved\n', ':1: there is no column "hea.ee"'],
  ['status\nreserved\n', ':1: the header line lacks the column name'],
  ['name,constructor\n', ':1: there is no column "constructor"'],
  ['', ':1: is empty'],
  [Buffer.from(`\ufeff${header}`, 'utf16le'), ':1: is UTF-16, not UTF-8'],
  [Buffer.from(header, 'utf16le'), ':1: is UTF-16, not UTF-8'],
  [`sep=;\n${named}`, ':2: there is no column "name,status"'],
])('refuses a file with %j, and changes nothing', async (content, message) => {
  const file = await registry.file('names.csv', content);
  await expectRefused(['retained', 'import', file, '--replace'], 1, `${file}${message}`);
});

test.each([[['retained', 'import']], [['certificate', 'bind', '--user', 'ats', '--file']]])(
  '%j refuses a file that is not there, and changes nothing',
  async (command) => {
    const file = path.join(registry.directory, 'missing.csv');
    const message = `refused: ${file} cannot be read: there is no such file`;
    await expectRefused([...command, file], 1, message);
  },
);

test.each([
  ['contact import DIR', 'DIR cannot be read: it is a directory'],
  ['backup verify DIR', 'DIR cannot be read: it is a directory'],
  ['restore DIR --yes', 'DIR cannot be read: it is a directory'],
  ['restore DIR/none --yes', 'DIR/none cannot be read: there is no such file'],
  ['contact export DIR --registrar ALPHA', 'DIR is a directory; name a file'],
  ['move-in DIR/none --dry-run', 'there is no directory DIR/none'],
])(
  '%s says what is wrong with a directory as a file, and changes nothing',
  async (args, message) => {
    const directory = await tool.newDirectory();
    const words = args.split(' ').map((word) => word.replace('DIR', directory));
    const { status, stderr } = await registry.run(words);
    expect(stderr).toContain(`refused: ${message.replace('DIR', directory)}`);
    expect(status).toBe(1);
    expect(await registry.rows()).toEqual(before);
  },
);

const rest = ',Mari,mari@example.ee,+372.5123456,38001085718,priv,EE';
const noPrefix = 'cannot be a new contact code of ALPHA; write ALPHA:<suffix> [code]';

test.each([
  [
    'ALPHA:1,Mari,mari@example.ee,+372.5123456,38001085719,priv,EE',
    ':2: Ident code does not conform to national identification number format of Estonia [ident]. Expected: for Estonia, a personal code of eleven digits with a valid check digit and date.',
  ],
  [`ALPHA:1${rest}\nalpha:1${rest}`, ':3: ALPHA:1 is already in line 2'],
  ['ALPHA:1,,mari,5123456,38001085718,priv,EE', ':2: name is missing [name]'],
  [
    'ALPHA:1,Mari,mari@example.ee,5123456,38001085718,priv,EE',
    ':2: "5123456" is not valid: +, country code, dot and number, for example +372.5123456 [phone]',
  ],
  ...['ALPHA:', 'ALPHAB:1'].map((code) => [code + rest, `:2: ${code} ${noPrefix}`]),
])('refuses the contact %s, and changes nothing', async (rows, message) => {
  const file = await registry.file('contacts.csv', `${contactHeader}${rows}\n`);
  await expectRefused(['contact', 'import', file, '--registrar', 'ALPHA'], 1, message!);
});

test('says that there is no auction of a UUID', async () => {
  await expectRefused(['auction', 'show', 'nope'], 1, 'there is no auction "nope" [uuid]');
});

test('refuses domains of unknown registrars and contacts, and changes nothing', async () => {
  const file = await registry.file(
    'domains.csv',
    'name,registrar,registrant\nnimi.ee,BETA,ALPHA:404\n',
  );
  const args = ['domain', 'import', file];
  await expectRefused(args, 1, ':2: there is no registrar "BETA" [registrar]');
  await expectRefused(args, 1, ':2: there is no contact "ALPHA:404" [registrant]');
});

test('reports every problem of a file, with its place, with --json', async () => {
  const file = await registry.file('names.csv', `${header}A.ee,reserved\nb_.ee,blocked\n`);
  const { status, stdout, stderr } = await registry.run(['retained', 'import', file, '--json']);
  expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
  expect(JSON.parse(stdout)).toEqual({
    errors: [
      {
        reason: 'invalid',
        obstacle: 'invalid_name',
        message: '"A.ee" contains capital letters; write "a.ee"',
        field: 'name',
        file,
        line: 2,
      },
      {
        reason: 'invalid',
        obstacle: 'invalid_name',
        message: '"b_.ee" contains an underscore, which is not allowed',
        field: 'name',
        file,
        line: 3,
      },
    ],
  });
});

test.each([
  'backup -',
  'backup verify -',
  'restore -',
  'move-in - --dry-run',
  'move-in files --to -',
  'reconcile files -',
  'reconcile - registry.sqlite',
  'disclosure grant 7 --to -',
  'retained import names.csv --rejected -',
  'certificate bind --user ats --file -',
  'registrar list --persist-to -',
])('%s is refused, because standard input and output are no file of a registry', async (line) => {
  const { status, stdout, stderr } = await captured(() => runProgram(line.split(' ')));
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(/'-' is invalid.* It must name a file or a directory\./);
});
