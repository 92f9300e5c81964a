import { link, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { writeFileRows } from '../../src/tool/files/write.ts';
import { contactHeader, startTool } from './tool.ts';

const tool = startTool();
const registry = tool.sharedRegistry('ALPHA');

function importNames(content: string | Buffer, ...args: string[]) {
  return registry.run(['retained', 'import', '-', '--dry-run', ...args], content);
}

test.each([
  ['tabs', 'name\tstatus\na.ee\treserved\nb.ee\tblocked\n'],
  ['quotes and capital letters in the header', '"Name";"STATUS"\n"a.ee";reserved\nb.ee;blocked\n'],
  [
    'the character that stands for what is not UTF-8',
    'name,status,password\na.ee,reserved,\ufffd\nb.ee,blocked,\n',
  ],
  ['separators behind the last column', 'name,status,,\na.ee,reserved,,\nb.ee,blocked,,\n,,,\n'],
  [
    'a header that ends with CRLF, and rows with LF',
    'name,status\r\na.ee,reserved\nb.ee,blocked\n',
  ],
  ['lines that end with CR', 'name,status\ra.ee,reserved\rb.ee,blocked\r'],
  ['a line that names the separator', 'sep=;\r\nname;status\r\na.ee;reserved\r\nb.ee;blocked\r\n'],
  [
    'a quoted one, after a byte order mark',
    '\ufeff"sep=\t"\nname\tstatus\na.ee\treserved\nb.ee\tblocked\n',
  ],
  [
    'spaces around fields and quotes, and in blank lines',
    'name , status\n a.ee , "reserved"\n  \n " b.ee ",blocked \n',
  ],
  ['letters that are not composed', 'name,status\no\u0303.ee,reserved\nb.ee,blocked\n'],
  ['separators in the header alone', 'name;status;;\na.ee;reserved\nb.ee;blocked\n'],
  [
    'a blank line before a header with semicolons',
    '\r\nname;status\r\na.ee;reserved\r\nb.ee;blocked\r\n',
  ],
])('reads a file with %s', async (_, content) => {
  expect((await importNames(content)).stdout).toBe('would add 2 names, 0 already there\n');
});

test('names the first line of a row', async () => {
  const rows = 'a.ee,reserved\n\n"B.ee","re\nserved"\nc.ee,x\n';
  const { stderr } = await importNames(`name,status\n${rows}`);
  expect(stderr).toBe(
    'refused: standard input:4: "B.ee" contains capital letters; write "b.ee" [name]\n' +
      'refused: standard input:6: "x" is neither reserved nor blocked [status]\n' +
      'nothing was written; 1 other row is valid: with --skip-invalid, the command writes what is valid\n',
  );
  const quoted = 'name,status\r\n"a.ee","re\r\nserved"\n"b.ee","re\rserved"\r\n\r\nc.ee,x\r';
  expect((await importNames(`sep=,\n${quoted}`)).stderr).toBe(
    'refused: standard input:3: "re\\r\\nserved" is neither reserved nor blocked [status] (also line 5, 8, with other values)\n',
  );
  const unclosed = await importNames('name,status\na.ee,reserved\n"b.ee,reserved\nc.ee,reserved\n');
  expect(unclosed.stderr).toContain('standard input:3: is not CSV: Quote Not Closed');
});

test('refuses what a spreadsheet has made of a value, and names the cause', async () => {
  const { stderr } = await importNames('name;status;password\na.ee;reserved;2,01804E+11\n');
  expect(stderr).toContain('standard input:2: password "2,01804E+11" was spoiled by a spreadsheet');
});

test('takes a spoiled value in a column that an import skips', async () => {
  const { stdout } = await importNames('name,status,version\na.ee,reserved,1.7E+12\n');
  expect(stdout).toContain('would add 1 name');
});

test('names one cause in many rows once', async () => {
  const row = (code: string) => `${code},Mari,mari@example.ee,+372.5123456,38001085718,priv,EE\n`;
  const rows = Array.from({ length: 300 }, (_, n) => row(`BETA:${n}`)).join('');
  const importing = (registrar: string, rows: string) =>
    registry.run(`contact import - --registrar ${registrar} --dry-run`, contactHeader + rows);
  expect(await importing('BETA', rows)).toMatchObject({
    status: 1,
    stderr:
      'refused: standard input:2: there is no registrar "BETA" [registrar] (also line 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 289 others)\n',
  });
  const { stdout } = await importing('ALPHA', row('alpha:1'));
  expect(stdout).toBe('would add 1 contact, 0 already there\n');
});

test('names one cause once for other values too, and how the valid rows can be written', async () => {
  const rows =
    'name,status\nAb c.ee,reserved\ngood.ee,reserved\nd e.ee,reserved\n"f ""g"".ee",reserved\n';
  const { stderr } = await registry.run('retained import - --dry-run', rows);
  expect(stderr.split('\n')).toEqual([
    expect.stringMatching(/^refused: standard input:2: .* \(also line 4, 5, with other values\)$/),
    'nothing was written; 1 other row is valid: with --skip-invalid, the command writes what is valid',
    '',
  ]);
  const none = await registry.run('retained import -', 'name,status\nAb c.ee,reserved\n');
  expect(none.stderr).not.toContain('--skip-invalid');
  const replaced = await registry.run(
    ['retained', 'import', '-', '--replace', '--status', 'reserved', '--yes'],
    rows,
  );
  expect(replaced.stderr).not.toContain('--skip-invalid');
});

test('leaves the last export as it was, and nothing beside it, when a new one fails', async () => {
  const directory = await tool.newDirectory();
  const file = path.join(directory, 'names.csv');
  await writeFile(file, 'name,status\na.ee,reserved\nb.ee,reserved\n');
  async function* rows() {
    for (let n = 0; n < 50_000; n += 1) yield { name: `nimi${n}.ee`, status: 'reserved' };
    throw new Error('the server is gone');
  }
  await expect(writeFileRows(file, rows(), { columns: ['name', 'status'] })).rejects.toThrow(
    'the server is gone',
  );
  expect(await readFile(file, 'utf8')).toBe('name,status\na.ee,reserved\nb.ee,reserved\n');
  expect(await readdir(directory)).toEqual(['names.csv']);
});

test('replaces the file that a link names, and leaves the link', async () => {
  const directory = await tool.newDirectory();
  const [file, current] = ['names-1.csv', 'names.csv'].map((name) => path.join(directory, name));
  await writeFile(file!, '');
  await symlink(file!, current!);
  await registry.done(['retained', 'export', current!]);
  expect(await readFile(file!, 'utf8')).toBe('name,status,password,last_day,comment\n');
});

test.each([
  ['the input', async (_: string) => {}, ''],
  ['the input by another name', (input: string) => link(input, `${input}-linked`), '-linked'],
  [
    'a file that is being corrected',
    (input: string) => writeFile(`${input}-corrected`, 'name,status\na-ee.ee,reserved\n'),
    '-corrected',
  ],
])('saves rejected rows over no other file: %s', async (_, prepare, suffix) => {
  const input = await registry.file('wrong.csv', 'name,status\nx.ee,reserved\na_ee.ee,reserved\n');
  await prepare(input);
  const rejected = input + suffix;
  const before = await readFile(rejected, 'utf8');
  const args = ['retained', 'import', input, '--skip-invalid', '--rejected', rejected];
  expect(await registry.run(args)).toEqual({
    status: 1,
    stdout: '',
    stderr: `refused: ${rejected} already exists, with other content; move it away or name another file\n`,
  });
  expect(await readFile(rejected, 'utf8')).toBe(before);
  expect((await registry.rows()).retained_domains).toEqual([]);
});

test('saves the same rejected rows again when an import is repeated', async () => {
  const own = await tool.newRegistry();
  const input = await own.file('names.csv', 'name,status\nx.ee,reserved\na_ee.ee,reserved\n');
  const args = ['retained', 'import', input, '--skip-invalid'];
  expect(await own.done(args)).toMatchObject({ added: 1, rejected: 1 });
  expect(await own.done(args)).toMatchObject({ added: 0, rejected: 1 });
});

test('sees a repeated key, however far apart its rows are in the file', async () => {
  const others = Array.from({ length: 1_100 }, (_, n) => `n${n}.ee,reserved\n`);
  const { stderr } = await importNames(`name,status\nn1099.ee,reserved\n${others.join('')}`);
  expect(stderr).toContain(
    'refused: standard input:1102: n1099.ee (reserved) is already in line 2\n',
  );
});

test('a row with too many fields is refused again until somebody has put them into the columns', async () => {
  const registry = await tool.newRegistry();
  const file = await registry.file(
    'names.csv',
    'name,status,password\nsalasona.ee,reserved,pass,word\nhea.ee,reserved,\n',
  );
  const first = await registry.done(['retained', 'import', file, '--skip-invalid']);
  expect(first).toMatchObject({ added: 1, rejected: 1 });
  const rejected = await readFile(first.rejected_file, 'utf8');
  expect(rejected).toBe(
    'name,status,password,rejected_line,rejected_field,rejected_reason,rejected_text\n' +
      ',,,2,,"has 4 fields, but the header has 3","salasona.ee,reserved,pass,word"\n',
  );
  const again = await registry.run(['retained', 'import', first.rejected_file]);
  expect(again).toMatchObject({ status: 1 });
  expect(again.stderr).toContain('has a rejected_text: put its fields into the columns');
  const corrected = await registry.file(
    'corrected.csv',
    rejected.replace(/^,,,(.*),"salasona.*$/m, 'salasona.ee,reserved,"pass,word",$1,'),
  );
  expect(await registry.done(['retained', 'import', corrected])).toMatchObject({ added: 1 });
});
