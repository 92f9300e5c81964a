import { beforeAll, expect, test } from 'vitest';
import { startTool, type TestRegistry } from './tool.ts';

const tool = startTool();
let registry: TestRegistry;

beforeAll(async () => {
  registry = await tool.newRegistry();
  await registry.done(['registrar', 'add', '--code', 'ALPHA', '--name', 'Alpha OÜ']);
});

function importNames(content: string | Buffer, ...args: string[]) {
  return registry.run(['retained', 'import', '-', '--dry-run', ...args], content);
}

test.each([
  ['semicolons', 'name;status\na.ee;reserved\nb.ee;blocked\n'],
  ['tabs', 'name\tstatus\na.ee\treserved\nb.ee\tblocked\n'],
  ['a line that names the separator', 'sep=;\r\nname;status\r\na.ee;reserved\r\nb.ee;blocked\r\n'],
  ['a byte order mark', '\ufeffname,status\na.ee,reserved\nb.ee,blocked\n'],
  ['quotes and capital letters in the header', '"Name";"STATUS"\n"a.ee";reserved\nb.ee;blocked\n'],
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
  const separator = await importNames('sep=;\nname;status\nA.ee;reserved\n');
  expect(separator.stderr).toContain('standard input:3: "A.ee"');
});

const header = 'code,name,email,phone,ident,ident_type,ident_country_code\n';
const row = (code: string, changes: { phone?: string; ident?: string } = {}) => {
  const { phone = '+372.5123456', ident = '38001085718' } = changes;
  return `${code},Mari,mari@example.ee,${phone},${ident},priv,EE\n`;
};

test('takes the registrar from the code, and names one cause in many rows once', async () => {
  const rows = Array.from({ length: 300 }, (_, n) => row(`BETA:${n}`)).join('');
  const { status, stderr } = await registry.run(['contact', 'import', '-'], header + rows);
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr:
      'refused: standard input:2: there is no registrar "BETA" [registrar] (and in 299 more rows)\n',
  });
  const imported = await registry.run(
    ['contact', 'import', '-', '--dry-run'],
    header + row('alpha:1'),
  );
  expect(imported.stdout).toBe('would add 1 contact, 0 already there\n');
});

test('says what a value should be', async () => {
  const { stderr } = await registry.run(
    ['contact', 'import', '-'],
    header + row('ALPHA:1', { phone: '5123456' }),
  );
  expect(stderr).toBe(
    'refused: standard input:2: "5123456" is not valid: +, country code, dot and number, for example +372.5123456 [phone]\n',
  );
});

test("imports with --legacy what today's rules refuse, with a warning for each rule", async () => {
  const rows =
    row('ALPHA:1', { phone: '5123456' }) +
    row('ALPHA:2', { phone: '51', ident: '38001085719' }) +
    row('ALPHA:3');
  const args = ['contact', 'import', '-', '--legacy'];
  const { stdout } = await registry.run(args, header + rows);
  expect(stdout).toBe(
    'added 3 contacts, 0 already there\n' +
      "warning: 2 rows whose phone today's rules refuse\n" +
      "warning: 1 row whose ident today's rules refuse\n",
  );
  expect(await registry.done(args, header + rows)).toMatchObject({
    ...{ unchanged: 3, warnings: { phone: 2, ident: 1 } },
  });
  expect(await registry.done(['contact', 'show', 'ALPHA:2'])).toMatchObject({
    contact: { phone: '51', ident: '38001085719' },
  });
  const missing = await registry.run(args, `${header}ALPHA:4,,m@example.ee,+372.1,1,priv,EE\n`);
  expect(missing.stderr).toContain('name is missing [name]');
});
