import { execFileSync } from 'node:child_process';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { wordsOf } from '../../src/cli/shell.ts';
import { captured } from './captured.ts';
import { startTool, TestRegistry } from './tool.ts';

const tool = startTool();

test.each([
  ['registrar list', ['registrar', 'list']],
  ['  registry registrar list # all of them', ['registrar', 'list']],
  [
    'npm run registry -- registrar add --name "Alpha OÜ"',
    ['registrar', 'add', '--name', 'Alpha OÜ'],
  ],
  [`a 'b c' "d \\"e\\"" f\\ g --x="y z" ''`, ['a', 'b c', 'd "e"', 'f g', '--x=y z', '']],
  ['# a comment', []],
  ["registrar list # don't", ['registrar', 'list']],
  ['', []],
])('reads the words of %j', (line, words) => {
  expect(wordsOf(line)).toEqual(words);
});

test('runs the commands of its input in one process, and goes on after one that fails', async () => {
  const registry = await tool.newRegistry();
  const input = `registrar add --code ALPHA --name "Alpha OÜ"
# a comment
registrar add --code ALPHA --name again

registrar show BETA --json
npm run registry -- registrar list
`;
  const { status, stdout, stderr } = await registry.run(['shell'], input);
  expect(status).toBe(1);
  expect(stdout).toContain('added registrar ALPHA');
  expect(stdout).toContain('"there is no registrar \\"BETA\\""');
  expect(stdout).toContain('ALPHA  Alpha OÜ');
  expect(stderr).toBe('refused: there is already a registrar ALPHA [code]\n');
});

test.each([
  [`registrar add --code ALPHA --name O'Brien`],
  ['registrar add --code ALPHA --name "Alpha'],
  ['registrar list \\'],
])('does nothing with a line that a shell would go on reading: %s', async (line) => {
  const registry = await tool.newRegistry();
  const input = `${line}\nregistrar list\n`;
  const { status, stdout, stderr } = await registry.run(['shell'], input);
  expect({ status, stdout }).toEqual({ status: 2, stdout: 'there are no registrars yet\n' });
  expect(stderr).toBe(`error: a quote or an escape is not finished: ${line}\n`);
  const json = await registry.run(['shell', '--json'], line);
  expect(JSON.parse(json.stdout)).toMatchObject({ errors: [{ reason: 'usage' }] });
});

test('reads a command and the answer to its question by one reader, and goes on', async () => {
  const registry = await tool.newRegistry();
  await registry.done(['auction', 'start', 'kohv.ee']);
  const lines = [
    'auction cancel kohv.ee --reason x',
    'n',
    'registrar list',
    'auction cancel kohv.ee --reason x',
    'y',
  ];
  const keyboard = Readable.from([`${lines.join('\n')}\nauction list\n`]);
  const ended = await registry.run(['shell'], Object.assign(keyboard, { isTTY: true }));
  expect(ended.stderr).toBe('refused: not confirmed\n');
  expect(ended.stdout).toContain('there are no registrars yet');
  expect(ended.stdout.match(/Continue\? \[y\/N\] /g)).toHaveLength(2);
  expect(ended.stdout).toContain('cancelled the auction of kohv.ee');
  expect(ended.stdout).toContain('there are no such auctions');
});

test('refuses to read data from the input that holds the commands', async () => {
  const registry = await tool.newRegistry();
  const input = `retained import - --status reserved
registrar add --code ALPHA --name Alpha
api-user add --registrar ALPHA --username ats
registrar diagnose ALPHA --username ats --ip 192.0.2.7 --secret-stdin
registrar list
`;
  const { status, stdout, stderr } = await registry.run(['shell'], input);
  const refusal =
    'refused: the shell reads its commands from standard input, so this one cannot read data from it; name a file, or run it outside the shell\n';
  expect({ status, stderr }).toEqual({ status: 1, stderr: refusal + refusal });
  expect(stdout).toContain('ALPHA  Alpha');
});

test('answers wrong usage in JSON as well', async () => {
  const nowhere = new TestRegistry('/nonexistent');
  const { status, stdout, stderr } = await nowhere.run(['registrar', 'lst', '--json']);
  expect({ status, stderr }).toEqual({ status: 2, stderr: '' });
  expect(JSON.parse(stdout)).toEqual({
    errors: [{ reason: 'usage', message: "unknown command 'lst'\n(Did you mean list?)" }],
  });
});

test('completes commands and options in bash', async () => {
  const { runProgram } = await import('../../src/cli/program.ts');
  const { stdout: script } = await captured(() => runProgram(['completion', 'bash']));
  const complete = (...words: string[]) => {
    const typed = words.map((word) => `'${word}'`).join(' ');
    const commands = `COMP_WORDS=(registry ${typed}); COMP_CWORD=${words.length}; _registry; echo "\${COMPREPLY[*]}"`;
    return execFileSync('bash', ['-c', `${script}\n${commands}`], { encoding: 'utf8' }).trim();
  };
  expect(complete('regis')).toBe('registrar');
  expect(complete('registrar', '')).toContain('add list show update');
  expect(complete('contact', 'show', 'ALPHA:1', '--js')).toBe('--json');
  expect(complete('lists', 'publish', '--rem')).toBe('--remote');
});

test('says its version', async () => {
  const { runProgram } = await import('../../src/cli/program.ts');
  const { status, stdout } = await captured(() => runProgram(['--version']));
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
});
