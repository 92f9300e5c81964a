import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { runServerIn, waitFor } from '../dev/server.ts';

let checkout: string;

beforeEach(() => {
  checkout = mkdtempSync(path.join(tmpdir(), 'a checkout-'));
  chmodSync(checkout, 0o755);
  const directories = ['src', 'drizzle', 'migrations'];
  const configuration = ['package.json', 'wrangler.toml', '.dev.vars', 'drizzle.config.ts'];
  const names = [...directories, ...configuration, 'CHANGELOG.md'];
  for (const name of names) {
    cpSync(name, path.join(checkout, name), { recursive: true });
  }
  symlinkSync(path.resolve('node_modules'), path.join(checkout, 'node_modules'));
});

afterEach(() => rmSync(checkout, { recursive: true }));

function runScript(script: string, args: string[], options = {}) {
  const { ASSETS_ARE_BUILT: _, ...env } = process.env;
  const file = path.join(checkout, script);
  return spawnSync(process.execPath, [file, ...args], { env, encoding: 'utf8', ...options });
}

/** The first line of the tool's help. */
function firstLine(options = {}): string {
  const { stdout, stderr } = runScript('src/tool/index.ts', ['--help'], options);
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

// Root may write everything.
const isRoot = process.getuid?.() === 0;
const user = isRoot ? { uid: 65534, gid: 65534 } : {};

test('npm start names what a user may not write: the checkout, or a database', () => {
  const start = (...options: string[]) => {
    const { status, stderr } = runScript(
      'src/dev/start/index.ts',
      ['--port', '0', ...options],
      user,
    );
    return [status, stderr];
  };
  const refused = (file: string) => [1, expect.stringMatching(`^npm start cannot write .*${file}`)];
  mkdirSync(path.join(checkout, '.wrangler/state'), { recursive: true });
  if (!isRoot) chmodSync(path.join(checkout, '.wrangler/state'), 0o555);
  expect(start()).toEqual(refused('/.wrangler/state'));
  const data = path.join(checkout, 'data');
  mkdirSync(path.join(data, 'v3/d1'), { recursive: true });
  for (const name of [data, path.join(checkout, '.wrangler')]) chmodSync(name, 0o777);
  writeFileSync(path.join(data, 'v3/d1/registry.sqlite'), '', { mode: 0o444 });
  expect(start('--persist-to', data)).toEqual(refused('registry.sqlite'));
});

test('the tool runs for a user who may not write the checkout', () => {
  if (!isRoot) chmodSync(checkout, 0o555);
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
    const { status, stderr } = runScript('src/tool/index.ts', [
      ...words.split(' '),
      '--persist-to',
      directory,
    ]);
    return { status, stderr };
  };
  expect(tool('registrar list')).toEqual({ status: 0, stderr: '' });
  const refused = {
    status: 1,
    stderr: expect.stringContaining('refused: there is no local database in'),
  };
  expect(tool('registrar list --env staging')).toEqual(refused);
  expect(tool('registrar add --code A --name A --env staging')).toEqual(refused);
  expect(tool('registrar add --code A --name A')).toEqual({
    status: 0,
    stderr: expect.stringMatching(/^request \S+\n$/),
  });
});

test('a clone has the line ends of the repository, whatever core.autocrlf says', () => {
  const clone = path.join(checkout, 'clone');
  const git = (...words: string[]) => spawnSync('git', words, { encoding: 'utf8' }).stdout;
  git('clone', '-q', '--config', 'core.autocrlf=true', '.', clone);
  const files = git('-C', clone, 'ls-files', '--eol').split('\n');
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((line) => /w\/(crlf|mixed)/.test(line))).toEqual([]);
});

test.each([
  ['for an environment', { WRANGLER_COMMAND: 'deploy', CLOUDFLARE_ENV: 'production' }, false],
  ['without knowing for whom', { WRANGLER_COMMAND: 'deploy', CLOUDFLARE_ENV: '' }, false],
  ['for the local environment', { WRANGLER_COMMAND: 'dev', CLOUDFLARE_ENV: '' }, true],
])(
  'the reference that is built %s (%j) names the logins of the demo: %s',
  (_, environment, isNamed) => {
    const { ASSETS_ARE_BUILT: _built, ...env } = process.env;
    const options = { env: { ...env, ...environment } };
    expect(runScript('src/tool/build-assets.ts', [], options).stderr).toBe('');
    const directory = path.join(checkout, '.wrangler/assets');
    const named = readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(html|json)$/.test(name))
      .filter((name) => /demo-(secret|key)/.test(readFileSync(path.join(directory, name), 'utf8')));
    expect(named.length > 0).toBe(isNamed);
  },
);

test('a new migration is the newest of the build, and leaves one snapshot', () => {
  const schema = path.join(checkout, 'drizzle/schema.ts');
  const text = readFileSync(schema, 'utf8');
  writeFileSync(schema, `${text}\nexport const notes = sqliteTable('notes', { id: integer() });\n`);
  const program = path.join(checkout, 'drizzle/migration.ts');
  const { status, stderr } = spawnSync(process.execPath, [program, '--name', 'notes'], {
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);

  const files = readdirSync(path.join(checkout, 'migrations'));
  const newest = files.filter((name) => name.endsWith('.sql')).at(-1)!;
  expect(newest).toMatch(/^\d{4}_notes\.sql$/);
  expect(readFileSync(path.join(checkout, 'migrations', newest), 'utf8')).toContain('`notes`');
  expect(readFileSync(path.join(checkout, 'src/base/version.ts'), 'utf8')).toContain(
    `newestMigration = '${newest}'`,
  );
  expect(readdirSync(path.join(checkout, 'migrations/meta')).toSorted()).toEqual([
    `${newest.slice(0, 4)}_snapshot.json`,
    '_journal.json',
  ]);
});

test.each([
  'drizzle-kit check',
  'drizzle-kit generate',
  'wrangler types',
  'wrangler deploy --dry-run --env production',
])('npx %s works as in any other project, and leaves no change to commit', (words) => {
  const { ASSETS_ARE_BUILT: _, ...env } = process.env;
  const git = (...args: string[]) => spawnSync('git', args, { cwd: checkout, encoding: 'utf8' });
  cpSync('.gitignore', path.join(checkout, '.gitignore'));
  git('init', '-q');
  git('add', '.');
  const { status, stderr } = spawnSync('npx', ['--no', ...words.split(' ')], {
    cwd: checkout,
    env,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  expect(git('status', '--short').stdout.replace(/^A .*\n/gm, '')).toBe('');
});

test('vitest runs the quick tests, and with --mode deep all that do something else in it, of which random ones draw again', () => {
  const files = (...options: string[]) => {
    const list = ['--no', 'vitest', 'list', '--filesOnly', ...options];
    const { stdout } = spawnSync('npx', list, { encoding: 'utf8' });
    const found = [...stdout.matchAll(/^\[([\w-]+)\] (\S+\.test\.ts)$/gm)];
    return (project: string) =>
      found
        .filter(([, name]) => name === project)
        .map(([, , file]) => file!)
        .sort();
  };
  const all = globSync('test/**/*.test.ts', { exclude: ['**/node_modules/**'] }).sort();
  const quick = files()('quick');
  expect(quick).toEqual(all.filter((name) => !name.endsWith('.deep.test.ts')));
  const deep = files('--mode', 'deep');
  expect(deep('stand-ins')).toEqual(all.filter((name) => name.endsWith('.random.test.ts')));
  const repeated = deep('deep');
  const left = all.filter((name) => !repeated.includes(name));
  expect(left).toContain('test/view/words.test.ts');
  expect(quick).toEqual(expect.arrayContaining(left));
  const starts = /support\/worker\.ts'|tool\/tool\.ts'|\binject\(|'fast-check'/;
  expect(left.filter((name) => starts.test(readFileSync(name, 'utf8')))).toEqual([]);
});

describe('npm start', { timeout: 240_000 }, () => {
  const data = () => path.join(checkout, 'data');
  const run = (environment: Record<string, string | undefined>, ...options: string[]) => {
    // The tests have built the assets elsewhere.
    const own = { ASSETS_ARE_BUILT: undefined, ...environment };
    return runServerIn(checkout, own, '--persist-to', data(), '--no-demo', ...options);
  };

  async function freePort(): Promise<string> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    return String(port);
  }

  test('answers 503 while the code cannot be built or loaded or its schema has changed, and serves otherwise, past a proxy of the environment', async () => {
    const source = path.join(checkout, 'src/index.ts');
    const right = readFileSync(source, 'utf8');
    writeFileSync(source, `${right}\n!`);
    const port = await freePort();
    const proxy = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:1', NO_PROXY: 'x.ee' };
    const server = run(proxy, '--port', port);
    const get = async () => {
      const response = await fetch(`http://localhost:${port}/repp/v1/auctions`);
      return { status: response.status, text: await response.text() };
    };
    const served = { status: 200, text: '{"count":0,"auctions":[]}' };
    const refused = { status: 503, text: expect.stringContaining('src/index.ts') };
    await expect.poll(server.printed, { timeout: 60_000 }).toContain('Unexpected end of file');
    expect(await get()).toEqual(refused);
    writeFileSync(source, right);
    await waitFor(server);
    expect(await get()).toEqual(served);

    const tool = ['registrar', 'list', '--persist-to', data()];
    const options = { env: { ...process.env, ...proxy } };
    const { status, stderr } = runScript('src/tool/index.ts', tool, options);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });

    const schema = path.join(checkout, 'drizzle/schema.ts');
    const text = readFileSync(schema, 'utf8');
    const notes = "export const notes = sqliteTable('notes', { id: integer() });";
    writeFileSync(schema, `${text}\n${notes}\n`);
    await expect.poll(get, { timeout: 60_000 }).toMatchObject({ status: 503 });
    expect(server.printed()).toContain('then restart npm start.');
    writeFileSync(schema, text);
    await expect.poll(get, { timeout: 60_000 }).toEqual(served);

    writeFileSync(source, `${right}\n!`);
    await expect.poll(get, { timeout: 60_000 }).toEqual(refused);
    writeFileSync(source, `${right}\nthrow new Error('too early');`);
    const notLoaded = { status: 503, text: 'Uncaught Error: too early\n' };
    await expect.poll(get, { timeout: 60_000 }).toEqual(notLoaded);
    expect(await server.stop()).toBe(0);
  });

  test.each(['HOME', 'TMPDIR'])(
    'ends with the reason if it cannot write below %s',
    async (name) => {
      const file = path.join(checkout, 'package.json');
      // It ends before it would read an asset.
      mkdirSync(path.join(checkout, '.wrangler/assets'), { recursive: true });
      const variables = { ASSETS_ARE_BUILT: 'yes', XDG_CONFIG_HOME: undefined, [name]: file };
      const { ended, printed } = run(variables, '--port', '0');
      expect(await ended).toBe(1);
      expect(printed()).toMatch(/^The server cannot run: \w+: .*mkdir.*package\.json/m);
    },
  );
});
