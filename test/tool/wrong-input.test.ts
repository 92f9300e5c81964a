import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { startTool } from './tool.ts';

const registry = startTool().sharedRegistry('ALPHA');
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

/** The last row of the file, and the tool's words about it after the file's name. */
test.each<[string | Buffer, string]>([
  ['Ää.ee,reserved', ':3: "Ää.ee" contains capital letters; write "ää.ee"'],
  ['hea.ee,reserved', ':3: hea.ee (reserved) is already in line 2'],
  ['nimi.ee,disputed', ':3: "disputed" is neither reserved nor blocked [status]'],
  ['nimi.ee,', ':3: status is missing [status]'],
  ['nimi.ee,reserved,x', ':3: has 3 fields, but the header has 2'],
  ['"nimi.ee,reserved', ':3: is not CSV: Quote Not Closed'],
  ['ni"mi.ee,reserved', ':3: is not CSV: Invalid Opening Quote'],
  [Buffer.from('õ.ee,reserved', 'latin1'), ':3: is not UTF-8'],
])('refuses a file with the row %j, and changes nothing', async (row, message) => {
  const content = Buffer.concat([Buffer.from(header + good), Buffer.from(row)]);
  await expectRefused(
    ['retained', 'import', await registry.file('names.csv', content)],
    1,
    message,
  );
});

test.each<[string | Buffer, string]>([
  ['hea.ee,reserved\n', ':1: there is no column "hea.ee"'],
  ['status\nreserved\n', ':1: the header line lacks the column name'],
  ['nimi;status\n', ':1: there is no column "nimi"'],
  ['name,constructor\n', ':1: there is no column "constructor"'],
  ['', ':1: is empty'],
  [Buffer.from(`\ufeff${header}`, 'utf16le'), ':1: is not UTF-8'],
])('refuses the file %j, and changes nothing', async (content, message) => {
  const file = await registry.file('names.csv', content);
  await expectRefused(['retained', 'import', file, '--replace'], 1, message);
});

test.each([
  ['{"name": "hea.ee"', ':2: is not JSON'],
  ['["hea.ee"]', ':2: is not a JSON object'],
  ['{"name":"ok.ee","stauts":"reserved"}', ':2: there is no field "stauts"'],
  ['{"name":7,"status":"reserved"}', ':2: 7 is not text [name]'],
])('refuses NDJSON with %s, and changes nothing', async (line, message) => {
  const content = `{"name":"hea.ee","status":"reserved"}\n${line}\n`;
  const file = await registry.file('names.ndjson', content);
  await expectRefused(['retained', 'import', file], 1, message);
});

test.each([[['retained', 'import']], [['certificate', 'bind', '--user', 'ats', '--file']]])(
  '%j refuses a file that is not there, and changes nothing',
  async (command) => {
    const file = path.join(registry.directory, 'missing.csv');
    const message = `refused: ${file} cannot be read: there is no such file`;
    await expectRefused([...command, file], 1, message);
  },
);

test('calls a file that is not named .csv or .ndjson wrong usage', async () => {
  const file = await registry.file('names.txt', header + good);
  await expectRefused(['retained', 'import', file], 2, 'give its format with --format');
});

const contactHeader = 'code,name,email,phone,ident,ident_type,ident_country_code\n';

const rest = ',Mari,mari@example.ee,+372.5123456,38001085718,priv,EE';
const noPrefix = 'cannot be a new contact code of ALPHA; write ALPHA:<suffix> [code]';

test.each([
  [
    'ALPHA:1,Mari,mari@example.ee,+372.5123456,38001085719,priv,EE',
    ':2: Ident code does not conform to national identification number format of Estonia [ident]',
  ],
  [`ALPHA:1${rest}\nalpha:1${rest}`, ':3: ALPHA:1 is already in line 2'],
  ['ALPHA:1,,mari,5123456,38001085718,priv,EE', ':2: name is missing [name]'],
  ...['BETA:1', 'ALPHA', 'ALPHA:', 'ALPHAB:1'].map((code) => [
    code + rest,
    `:2: ${code} ${noPrefix}`,
  ]),
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
        message: '"A.ee" contains capital letters; write "a.ee"',
        field: 'name',
        file,
        line: 2,
      },
      {
        reason: 'invalid',
        message: '"b_.ee" contains an underscore, which host names cannot',
        field: 'name',
        file,
        line: 3,
      },
    ],
  });
});

test.each(['retained', 'domain'])(
  'refuses an empty NDJSON file that would replace every %s name, and changes nothing',
  async (noun) => {
    const file = await registry.file('names.ndjson', '\n');
    const message = `${file}:1: is empty; with --replace, that would remove everything`;
    await expectRefused([noun, 'import', file, '--replace', '--yes'], 1, message);
  },
);
