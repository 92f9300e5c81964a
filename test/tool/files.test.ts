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
  ['semicolons', 'name;status\na.ee;reserved\nb.ee;blocked\n'],
  ['tabs', 'name\tstatus\na.ee\treserved\nb.ee\tblocked\n'],
  ['a byte order mark', '\ufeffname,status\na.ee,reserved\nb.ee,blocked\n'],
  ['quotes and capital letters in the header', '"Name";"STATUS"\n"a.ee";reserved\nb.ee;blocked\n'],
  ['separators behind the last column', 'name,status,,\na.ee,reserved,,\nb.ee,blocked,,\n,,,\n'],
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
      'refused: standard input:6: "x" is neither reserved nor blocked [status]\n',
  );
  const unclosed = await importNames('name,status\na.ee,reserved\n"b.ee,reserved\nc.ee,reserved\n');
  expect(unclosed.stderr).toContain('standard input:3: is not CSV: Quote Not Closed');
});

const row = (code: string, changes: { phone?: string; ident?: string; type?: string } = {}) => {
  const { phone = '+372.5123456', ident = '38001085718', type = 'priv' } = changes;
  return `${code},Mari,mari@example.ee,${phone},${ident},${type},EE\n`;
};

test('names one cause in many rows once', async () => {
  const rows = Array.from({ length: 300 }, (_, n) => row(`BETA:${n}`)).join('');
  const { status, stderr } = await registry.run(
    'contact import - --registrar BETA',
    contactHeader + rows,
  );
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr:
      'refused: standard input:2: there is no registrar "BETA" [registrar] (and in 299 more rows)\n',
  });
  const imported = await registry.run(
    'contact import - --registrar ALPHA --dry-run',
    contactHeader + row('alpha:1'),
  );
  expect(imported.stdout).toBe('would add 1 contact, 0 already there\n');
});

test('says what a value should be', async () => {
  const { stderr } = await registry.run(
    'contact import - --registrar ALPHA',
    contactHeader + row('ALPHA:1', { phone: '5123456' }),
  );
  expect(stderr).toBe(
    'refused: standard input:2: "5123456" is not valid: +, country code, dot and number, for example +372.5123456 [phone]\n',
  );
});

test('leaves the last export as it was, and nothing beside it, when a new one fails', async () => {
  const directory = await tool.newDirectory();
  const file = path.join(directory, 'names.csv');
  await writeFile(file, 'name,status\na.ee,reserved\nb.ee,reserved\n');
  async function* rows() {
    for (let n = 0; n < 50_000; n += 1) yield { name: `nimi${n}.ee`, status: 'reserved' };
    throw new Error('the server is gone');
  }
  await expect(writeFileRows(file, 'csv', rows())).rejects.toThrow('the server is gone');
  expect(await readFile(file, 'utf8')).toBe('name,status\na.ee,reserved\nb.ee,reserved\n');
  expect(await readdir(directory)).toEqual(['names.csv']);
});

test('replaces the file that a link names, and leaves the link', async () => {
  const directory = await tool.newDirectory();
  const [file, current] = ['names-1.csv', 'names.csv'].map((name) => path.join(directory, name));
  await writeFile(file!, '');
  await symlink(file!, current!);
  await registry.done(['retained', 'export', current!]);
  expect(await readFile(file!, 'utf8')).toBe('name,status,password,last_day\n');
});

test.each([
  ['the input', (input: string) => input],
  [
    'the input by another name',
    async (input: string) => {
      await link(input, `${input}-linked.csv`);
      return `${input}-linked.csv`;
    },
  ],
  [
    'a file that is being corrected',
    async (input: string) => {
      await writeFile(`${input}-corrected.csv`, 'name,status\na-ee.ee,reserved\n');
      return `${input}-corrected.csv`;
    },
  ],
])('saves rejected rows over no other file: %s', async (_, prepare) => {
  const input = await registry.file('wrong.csv', 'name,status\nx.ee,reserved\na_ee.ee,reserved\n');
  const rejected = await prepare(input);
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

test('sees disputes that overlap, however far apart they are in the file', async () => {
  const others = Array.from({ length: 1_100 }, (_, n) => `n${n}.ee,2026-01-01,2026-12-31\n`);
  const content = `name,from,until\na.ee,2026-01-01,2026-06-30\n${others.join('')}a.ee,2026-06-30,2026-12-31\n`;
  expect(await registry.run('dispute import - --dry-run', content)).toEqual({
    status: 1,
    stdout: '',
    stderr:
      'refused: standard input:1103: "a.ee" is already disputed from 2026-01-01 to 2026-06-30 [name]\n',
  });
});

test('sees a repeated key, however far apart its rows are in the file', async () => {
  const others = Array.from({ length: 1_100 }, (_, n) => `n${n}.ee,reserved\n`);
  const { stderr } = await importNames(`name,status\nn1099.ee,reserved\n${others.join('')}`);
  expect(stderr).toBe('refused: standard input:1102: n1099.ee (reserved) is already in line 2\n');
});
