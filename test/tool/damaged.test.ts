import { execSync } from 'node:child_process';
import { closeSync, existsSync, openSync, statSync, truncateSync, writeSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { runProgram } from '../../src/tool/program.ts';
import { captured } from './captured.ts';
import { databaseFile } from './empty-again.ts';
import { startTool, TestRegistry } from './tool.ts';

const tool = startTool();

/** Overwrites bytes of the database's file from this one on. */
function damage(file: string, from: number): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(8_192, 'damage'), 0, 8_192, from);
  closeSync(descriptor);
}

/** A registry to break: no later test gets it, and no runtime holds it. */
async function newOwnRegistry(): Promise<TestRegistry> {
  const directory = path.join(await tool.newDirectory(), 'data');
  await cp(inject('emptyRegistry'), directory, { recursive: true });
  return new TestRegistry(directory);
}

const run = ({ directory }: TestRegistry, ...args: string[]) =>
  captured(() => runProgram([...args, '--persist-to', directory]));

const sentence =
  /^refused: the local database is damaged: [^;]+; restore a backup into another directory, or delete the database: (rm -f .*)\n$/;

test('a damaged database is named, and after the printed command a restore works', async () => {
  const registry = await tool.newRegistry('ALPHA');
  const backup = path.join(await tool.newDirectory(), 'registry.sqlite');
  await registry.done(['backup', backup]);
  const broken = await newOwnRegistry();
  const file = databaseFile(broken.directory);
  damage(file, 0);
  for (const command of [
    ['registrar', 'list'],
    ['registrar', 'add', '--code', 'BETA', '--name', 'Beta'],
    ['backup', `${backup}.new`],
    ['restore', backup],
  ]) {
    expect(await run(broken, ...command)).toEqual({
      ...{ status: 1, stdout: '' },
      stderr: expect.stringMatching(sentence),
    });
  }
  const { stderr } = await run(broken, 'registrar', 'list');
  execSync(sentence.exec(stderr)![1]!);
  expect(existsSync(file)).toBe(false);
  expect(await run(broken, 'registrar', 'list')).toMatchObject({
    stderr: expect.stringContaining('there is no local database in'),
  });
  expect(existsSync(file)).toBe(false);
});

test.each([
  ['a page', (file: string) => damage(file, Math.floor(statSync(file).size / 8_192) * 4_096)],
  ['an end', (file: string) => truncateSync(file, Math.floor(statSync(file).size / 8_192) * 4_096)],
])(
  'a database with %s that cannot be read is named when a command fails for it',
  async (_, harm) => {
    const registry = await tool.newRegistry();
    const rows = Array.from({ length: 2_000 }, (_, n) => `nimi${n}.ee,reserved\n`);
    await registry.done('retained import -', `name,status\n${rows.join('')}`);
    const copy = await newOwnRegistry();
    registry.edit(`vacuum into '${databaseFile(copy.directory)}.whole'`);
    execSync(`mv ${databaseFile(copy.directory)}.whole ${databaseFile(copy.directory)}`);
    harm(databaseFile(copy.directory));
    const { status, stderr } = await run(copy, 'retained', 'export');
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(sentence) });
  },
);
