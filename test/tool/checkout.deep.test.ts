import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';

let checkout: string;

beforeEach(() => {
  checkout = mkdtempSync(path.join(tmpdir(), 'checkout-'));
  chmodSync(checkout, 0o755);
  for (const name of ['src', 'drizzle', 'migrations', 'package.json', 'wrangler.toml']) {
    cpSync(name, path.join(checkout, name), { recursive: true });
  }
  symlinkSync(path.resolve('node_modules'), path.join(checkout, 'node_modules'));
});

afterEach(() => rmSync(checkout, { recursive: true }));

function run(script: string, args: string[], options = {}) {
  const { ASSETS_ARE_BUILT: _, ...env } = process.env;
  const file = path.join(checkout, 'src/tool', script);
  return spawnSync(process.execPath, [file, ...args], { env, encoding: 'utf8', ...options });
}

/** The first line of the tool's help. */
function firstLine(options = {}): string {
  const { stdout, stderr } = run('index.ts', ['--help'], options);
  return /^The operator's tool.*$/m.exec(stdout)?.[0] ?? stderr;
}

/** Replaces a source by a changed one, as unpacking an archive does: with the time that the archive gives it. */
function unpackChange(word: string): void {
  const file = path.join(checkout, 'src/tool/program.ts');
  const text = readFileSync(file, 'utf8').replace(
    /The operator's tool[^"]*/,
    `The operator's tool, ${word}`,
  );
  writeFileSync(file, text);
  utimesSync(file, new Date('2025-01-01'), new Date('2025-01-01'));
}

test('the tool runs a source that has changed, however old its time is', () => {
  unpackChange('first');
  expect(firstLine()).toBe("The operator's tool, first");
  unpackChange('second');
  expect(firstLine()).toBe("The operator's tool, second");
});

test('the tool runs for a user who may not write the checkout', () => {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot) chmodSync(checkout, 0o555);
  const user = isRoot ? { uid: 65534, gid: 65534 } : {};
  expect(firstLine(user)).toContain('everything a registry');
  chmodSync(checkout, 0o755);
  expect(readdirSync(checkout)).not.toContain('.wrangler');
});

test('a command that reads opens the database that a writing one of its environment opens', () => {
  const config = path.join(checkout, 'wrangler.toml');
  const deployed = readFileSync(config, 'utf8').replace(
    /(\[\[env\.staging\.d1_databases\]\][^[]*database_id = )"[^"]*"/,
    '$1"11111111-1111-1111-1111-111111111111"',
  );
  writeFileSync(config, deployed);
  const directory = path.join(checkout, 'data');
  cpSync(inject('emptyRegistry'), directory, { recursive: true });
  const tool = (words: string) => {
    const { status, stderr } = run('index.ts', [...words.split(' '), '--persist-to', directory]);
    return { status, stderr };
  };
  expect(tool('registrar list')).toEqual({ status: 0, stderr: '' });
  const refused = {
    status: 1,
    stderr: expect.stringContaining('refused: the database has no tables yet'),
  };
  expect(tool('registrar list --env staging')).toEqual(refused);
  expect(tool('registrar add --code A --name A --env staging')).toEqual(refused);
  expect(tool('registrar add --code A --name A')).toEqual({
    status: 0,
    stderr: expect.stringMatching(/^request \S+\n$/),
  });
});
