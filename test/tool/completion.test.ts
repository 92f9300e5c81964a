import { execFile } from 'node:child_process';
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { runProgram } from '../../src/tool/program.ts';
import { captured } from './captured.ts';
import { startTool } from './tool.ts';

const tool = startTool();

/** Runs a script in a directory that has one file, with `registry` in the PATH. */
async function runIn(shell: string, ...script: string[]) {
  const directory = await tool.newDirectory();
  const programs = await tool.newDirectory();
  await writeFile(path.join(directory, 'names.csv'), 'name\n');
  await symlink(path.resolve('src/tool/registry'), path.join(programs, 'registry'));
  const PATH = `${programs}:${process.env.PATH}`;
  const options = { cwd: directory, env: { ...process.env, PATH } };
  const { stdout } = await promisify(execFile)(shell, ['-c', script.join('\n')], options);
  return { answers: stdout.trimEnd().split('\n'), directory };
}

/** Each as the words before the cursor, and what a shell completes the last one to. */
const ofAnyShell = [
  ['con', 'contact'],
  ['contact list --name $(touch\\ made) --js', '--json'],
  ['history --csv > names.csv --js', '--json'],
] as const;
const typed = [
  ...ofAnyShell,
  ['contact li', 'list'],
  ['contact list --em', '--email'],
  ['history --la', '--last'],
  ['history show retai', 'retained'],
  ['retained add x.ee --status re', 'reserved'],
] as const;

test('completes nouns, verbs, options and choices in bash, and runs nothing of what is typed', async () => {
  const asks = typed.map(([words]) => `ask ${words.replaceAll(/[$>()\\]/g, '\\$&')}`);
  const { answers, directory } = await runIn(
    'bash',
    'eval "$(registry completion bash)"',
    'ask() { COMP_WORDS=(registry "$@"); COMP_CWORD=$#; _registry; echo $COMPREPLY; }',
    ...asks,
  );
  expect(answers).toEqual(typed.map(([, answer]) => answer));
  expect(await readdir(directory)).toEqual(['names.csv']);
  expect(await readFile(path.join(directory, 'names.csv'), 'utf8')).toBe('name\n');
});

test('completes the same in fish, and files where it knows nothing', async ({ skip }) => {
  const isThere = await runIn('fish', 'true').catch(() => undefined);
  if (!isThere) skip('there is no fish');
  const asks = [...ofAnyShell, ['contact import na', 'names.csv']] as const;
  const { answers } = await runIn(
    'fish',
    'registry completion fish | source',
    ...asks.map(([words]) => `complete -C 'registry ${words.replace('\\ ', ' ')}' | cut -f 1`),
  );
  expect(answers).toEqual(asks.map(([, answer]) => answer));
});

test('prints the script for zsh, and for no other shell', async () => {
  const { stdout } = await captured(() => runProgram(['completion', 'zsh']));
  expect(stdout).toMatch(/\ncompdef _registry registry\n$/);
  const { status, stderr } = await captured(() => runProgram(['completion', 'powershell']));
  expect({ status, stderr }).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('Allowed choices are bash, zsh, fish.'),
  });
});
