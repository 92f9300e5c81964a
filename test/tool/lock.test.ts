import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { takeLock } from '../../src/tool/local/lock.ts';

const directories: string[] = [];

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'lock-'));
  directories.push(directory);
  return directory;
}

afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true });
});

/** Another process that takes the lock. */
async function holdElsewhere(directory: string) {
  const module = join(import.meta.dirname, '../../src/tool/local/lock.ts');
  const script = `
    const { takeLock } = await import(${JSON.stringify(module)});
    globalThis.held = await takeLock(${JSON.stringify(directory)}, 'npm start');
    console.log('held');
    setInterval(() => {}, 1000);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

test('names the directory where it cannot be taken', async () => {
  const directory = newDirectory();
  writeFileSync(join(directory, 'lock'), 'not a database'.repeat(100));
  await expect(takeLock(directory, 'npm start')).rejects.toThrow(
    `${directory} cannot be locked: file is not a database`,
  );
});

test('the lock is free again when its holder is killed', async () => {
  const directory = newDirectory();
  const child = await holdElsewhere(directory);
  const taking = takeLock(directory, 'registry contact import');
  child.kill('SIGKILL');
  expect((await taking).lock).toBeDefined();
});

test('gives way to a server that comes while it is waited for', async () => {
  const directory = newDirectory();
  const child = await holdElsewhere(directory);
  const answers = [undefined, undefined, 'a server'];
  const taken = await takeLock(directory, 'registry contact import', async () => answers.shift());
  expect(taken).toEqual({ server: 'a server' });
  child.kill('SIGKILL');
});

test('the lock is refused to a second process, which is told who holds it', async () => {
  const directory = newDirectory();
  const child = await holdElsewhere(directory);
  await expect(takeLock(directory, 'registry contact import', undefined, 0)).rejects.toThrow(
    `npm start (process ${child.pid}) is at work on ${directory}; try again when it has ended`,
  );
  child.kill('SIGKILL');
});
