import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { confirm } from '../../src/tool/report/confirm.ts';
import { table } from '../../src/tool/report/table.ts';
import { printable } from '../../src/view/text.ts';
import { startTool } from './tool.ts';

const tool = startTool();

const users = [
  { username: 'ats', registrar: 'ALPHA', state: 'disabled since 2026-11-21T13:20:11.250Z' },
  { username: 'mari', registrar: 'BETA', state: 'enabled' },
];
const columns = ['username', 'registrar', 'state'];

test('aligns the columns of a table ', () => {
  expect(table(users, '', columns)).toEqual([
    'USERNAME  REGISTRAR  STATE',
    'ats       ALPHA      disabled since 2026-11-21T13:20:11.250Z',
    'mari      BETA       enabled',
  ]);
  expect(
    table(
      [
        { name: 'a\tb', n: 1 },
        { name: 'ab', n: 2 },
      ],
      '',
    ),
  ).toEqual(['NAME     N', 'a\\u{9}b  1', 'ab       2']);
});

test('prints lines, and in them no character that a terminal would obey', () => {
  expect(printable(['ä\n1', ['\r\u001b[2J', '\u009b\u2028'], '\u202e\u200f\u{e0001}'])).toBe(
    'ä\\n1\n\\u{d}\\u{1b}[2J\n\\u{9b}\\u{2028}\n\\u{202e}\\u{200f}\\u{e0001}',
  );
});

test('asks with values escaped, and each line of the question on its own', async () => {
  const [input, output] = [Object.assign(new PassThrough(), { isTTY: true }), new PassThrough()];
  input.end('y\n');
  await confirm(['This erases a\u202eb\nc.', 'It ends.'], '', { input, output });
  output.end();
  expect(await text(output)).toContain('This erases a\\u{202e}b\\nc.\nIt ends. Continue? [y/N] ');
});

/** What a former registry may have kept, and forges a row, clears the screen, and turns the rest around. */
const name = 'A\nALPHA:9  forged\u001b[2J\u202e';
const shown = 'A\\nALPHA:9  forged\\u{1b}[2J\\u{202e}';

test('no stored value forges a line, in any form that people read; data stays as it is', async () => {
  const registry = await tool.newRegistry('ALPHA', 'BETA');
  await registry.addContacts('ALPHA:1');
  const evil = "'A' || char(10) || 'ALPHA:9  forged' || char(27) || '[2J' || char(8238)";
  registry.edit(
    `update contacts set name = ${evil}; update registrars set name = ${evil} where code = 'ALPHA'`,
  );
  for (const [command, line] of [
    ['contact list', `ALPHA:1  ${shown}`],
    ['contact show ALPHA:1', ` ${shown}\n`],
    [
      'contact list --invalid',
      'ALPHA:1: Name is invalid: contains a line break: "A\\nALPHA:9  forged\\u001b[2J\\u{202e}"',
    ],
    ['registrar list', shown],
    ['registrar update ALPHA --name B', `name: "A\\nALPHA:9  forged\\u001b[2J\\u{202e}" to "B"`],
    ['contact delete ALPHA:1', `(${shown}, `],
    ['contact transfer ALPHA:1 --to BETA', `(${shown})`],
  ] as const) {
    const { stdout, stderr } = await registry.run(command);
    expect(stdout + stderr).toContain(line);
    expect(stdout + stderr).not.toMatch(/[\p{Cf}]|(?!\n)\p{Cc}/u);
  }
  const { stderr } = await registry.run(['contact', 'show', 'X\u001b[2J\nrefused: no']);
  expect(stderr).toBe('refused: there is no contact "X\\u001b[2J\\nREFUSED: NO" [code]\n');
  const asked = [
    '--requester',
    'M',
    '--identified-by',
    'ID',
    '--organization',
    'O',
    '--basis',
    'b',
    '--fields',
    'name',
  ];
  const open = await registry.run(['disclosure', 'open', '--contact', 'X\nY', ...asked]);
  expect(open.stderr).toBe('refused: there is no contact X\\nY [contact]\n');
  const usage = await registry.run(['registrar', 'l\u001b[2J']);
  expect(usage.stderr).toContain("unknown command 'l\\u{1b}[2J'");
  expect(await registry.done('contact list')).toMatchObject({ contacts: [{ name }] });
  const csv = await registry.run('contact list --csv');
  expect(csv.stdout).toContain(`"${name}"`);
});

test('aligns the columns of a table as a terminal shows the characters', () => {
  const people = [
    { name: '王小明', code: 'A' },
    { name: 'مُحَمَّد', code: 'B' },
    { name: 'é', code: 'C' },
    { name: 'Mari', code: 'D' },
  ];
  expect(table(people, '')).toEqual([
    'NAME    CODE',
    '王小明  A',
    'مُحَمَّد    B',
    'é       C',
    'Mari    D',
  ]);
});

test('shows the fields of each row on lines of their own in a terminal that is narrower than the table', () => {
  expect(table(users, '', columns, 60)).toHaveLength(3);
  expect(table(users, '', columns, 59)).toEqual([
    'USERNAME   ats',
    'REGISTRAR  ALPHA',
    'STATE      disabled since 2026-11-21T13:20:11.250Z',
    '',
    'USERNAME   mari',
    'REGISTRAR  BETA',
    'STATE      enabled',
  ]);
});
