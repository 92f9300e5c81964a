import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { dayOf, daysBefore } from '../../src/base/time/day.ts';
import { basic } from '../support/fixtures.ts';
import { TestRegistry } from '../tool/tool.ts';
import { runServer, runServerIn, startServer } from './server.ts';

// On a machine that is busy with other tests.
const startMilliseconds = 120_000;

const execute = promisify(execFile);

const directories: string[] = [];
const running = new Set<ReturnType<typeof runServer>>();

function newDirectory() {
  const directory = mkdtempSync(join(tmpdir(), 'start-'));
  directories.push(directory);
  return directory;
}

afterEach(async () => {
  for (const server of running) await server.stop();
});

afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

function tracked<Server extends ReturnType<typeof runServer>>(server: Server): Server {
  running.add(server);
  void server.ended.then(() => running.delete(server));
  return server;
}

const run = (...options: string[]) => tracked(runServer(...options));
const start = async (...options: string[]) => tracked(await startServer(...options));

async function get(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers });
  return [response.status, await response.json()];
}

describe('npm start', () => {
  it('serves the demo data, keeps what was written, and starts at once after it was killed', {
    timeout: 2 * startMilliseconds,
  }, async () => {
    const directory = newDirectory();
    const alpha = { Authorization: basic('alpha', 'alpha-demo-secret') };
    const first = await start('--json-log', '--persist-to', directory);
    expect(first.printed()).toContain('alpha:alpha-demo-secret   beta:beta-demo-secret');

    const [, contacts] = /^ +curl -u alpha:alpha-demo-secret '(http:\S+)'$/m.exec(first.printed())!;
    expect(await get(contacts!, alpha)).toEqual([200, expect.anything()]);
    const yesterday = daysBefore(dayOf(new Date()), 1);
    const [status] = await get(`${first.address}/repp/v1/auctions?as_of=${yesterday}`);
    expect(status).toBe(200);
    for (const path of ['/', '/docs/']) {
      expect(first.printed()).toContain(` ${first.address}${path}\n`);
      expect((await fetch(first.address + path)).headers.get('Content-Type')).toMatch('text/html');
    }
    await fetch(`${first.address}/repp/v1/contacts/ALPHA:KUUSK`, {
      method: 'DELETE',
      headers: alpha,
    });
    await expect.poll(first.printed).toMatch(/^\{"level":"info","event":"request",.*\}$/m);
    expect(first.printed()).not.toMatch(/^\d\d:|\[wrangler/m);

    const state = () =>
      fetch(first.address).then(
        () => 'running',
        () => 'ended',
      );
    first.child.kill('SIGKILL');
    const second = await start('--persist-to', directory);
    expect(second.printed()).toContain('Database migrated');
    expect(second.printed()).toContain('Data kept');
    // The tool asks this server, though the killed one has left its address.
    const { registrars } = await new TestRegistry(directory).done('registrar list');
    expect(registrars).toHaveLength(2);
    const [, list] = await get(`${second.address}/repp/v1/contacts?limit=1`, alpha);
    expect(list).toEqual({ contacts: ['ALPHA:TAMM'], total_number_of_records: 13 });
    await expect.poll(state).toBe('ended');
    expect(await second.stop()).toBe(0);
    await expect(fetch(second.address)).rejects.toThrow('fetch failed');
  });

  it('leaves the database empty with --no-demo, logs for people, and says that its data are gone', {
    timeout: startMilliseconds,
  }, async () => {
    const directory = newDirectory();
    const { address, printed, stop } = await start('--no-demo', '--persist-to', directory);
    expect(printed()).not.toContain('demo-secret');
    expect(await get(`${address}/repp/v1/auctions`)).toEqual([200, { count: 0, auctions: [] }]);
    expect(await get(`${address}/api/v1/auctions`)).toEqual([200, []]);
    const line = (method: string, route: string) =>
      new RegExp(`^\\d\\d:\\d\\d:\\d\\d ${method} +${route} +200 +\\d+ ms( d1 1)?$`, 'm');
    await expect.poll(printed).toMatch(line('GET', '/api/v1/auctions'));
    expect(printed()).not.toMatch(/\{"level"|\[wrangler|env\./);

    rmSync(directory, { recursive: true });
    const gone = `The data in ${directory} are gone: start again.\n`;
    for (const path of ['/repp/v1/auctions', '/health', '/']) {
      const response = await fetch(address + path);
      expect([response.status, await response.text()]).toEqual([503, gone]);
    }
    expect(await stop()).toBe(0);
    const [, log] = printed().split('stops the server.\n');
    const lines = log!.split('\n').filter((line) => !/^$| GET /.test(line));
    expect(lines).toEqual([gone.trim()]);
  });

  it('walks through the life of an auction with --sandbox, identifies people, and limits as a deployment with --limits', {
    timeout: 2 * startMilliseconds,
  }, async () => {
    const directory = newDirectory();
    const limits = ['--sandbox', '--limits', 'production'];
    const sandbox = await start(...limits, '--persist-to', directory);
    const { address, printed } = sandbox;
    expect(printed()).toContain(`curl -X POST ${address}/sandbox/reset`);

    const { stdout } = await execute('test/walkthrough/auction.sh', [address, directory]);
    expect(stdout).toContain('\nDone.\n');
    // The operator ended it a week after it began: the tool follows the clock of the sandbox.
    const days = [...stdout.matchAll(/^(\S+)T\S+ .*by Operator/gm)].map(([, day]) =>
      Date.parse(day!),
    );
    expect((days[0]! - days[1]!) / (24 * 60 * 60 * 1000)).toBeGreaterThanOrEqual(8);

    const alpha = { headers: { Authorization: basic('alpha', 'alpha-demo-secret') } };
    const asked = await fetch(`${address}/repp/v1/contacts/verify/ALPHA:SAAR`, {
      method: 'POST',
      ...alpha,
    });
    const { data } = (await asked.json()) as { data: { contact: { link: string } } };
    const { origin } = new URL(data.contact.link);
    const mistake = fetch(`${origin}/api/ident/v1/identification_requests`, {
      method: 'POST',
      headers: { Authorization: 'Bearer sandbox-token.sandbox-priv' },
      body: '{}',
    });
    await expect(mistake).rejects.toThrow('fetch failed');
    const identified = await fetch(data.contact.link, { method: 'POST' });
    expect(await identified.json()).toEqual({ callback: 200 });
    const shown = await fetch(`${address}/repp/v1/contacts/ALPHA:SAAR`, alpha);
    expect(await shown.text()).toContain('"verified_by":"Identity service"');

    const headers = { Authorization: basic('alpha', 'guessed') };
    const attempt = () => fetch(`${address}/repp/v1/registrar`, { headers });
    let refused = await attempt();
    // More than the limit, in case that a minute ends meanwhile.
    for (let count = 0; refused.status === 401 && count < 20; count++) refused = await attempt();
    expect(refused.status).toBe(429);
    expect(refused.headers.get('RateLimit')).toMatch(/^"failed-login";r=0;t=\d+$/);
    expect(refused.headers.get('RateLimit-Policy')).toContain('"failed-login";q=10;w=60');

    const second = run('--sandbox', '--port', '0', '--persist-to', directory);
    expect(await second.ended).toBe(1);
    expect(second.printed()).toMatch(
      /^npm start \(process \d+\) is at work on \S+; try again when/m,
    );
    await sandbox.stop();
    const ordinary = run('--port', '0', '--persist-to', directory);
    expect(await ordinary.ended).toBe(1);
    expect(ordinary.printed()).toContain('it belongs to a sandbox; start it with --sandbox');
  });

  it.each(['--env', '--limits'])(
    'refuses an unknown environment in %s',
    {
      timeout: startMilliseconds,
    },
    async (option) => {
      const { ended, printed } = run('--port', '0', option, 'prod', '--persist-to', newDirectory());
      expect(await ended).toBe(1);
      expect(printed()).toBe('wrangler.toml has no environment "prod"\n');
    },
  );

  it('leaves a registry that is not a sandbox alone', async () => {
    const directory = newDirectory();
    mkdirSync(join(directory, 'v3'));
    const { ended, printed } = run('--sandbox', '--port', '0', '--persist-to', directory);
    expect(await ended).toBe(1);
    expect(printed()).toContain('it contains a registry that is not a sandbox');
    expect(existsSync(join(directory, 'v3'))).toBe(true);
  });

  it('says that the port is in use, and does nothing', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const { ended, printed } = run('--port', String(port), '--ip', '127.0.0.1', '--no-demo');
    expect(await ended).toBe(1);
    expect(printed()).toBe(
      `Port ${port} is in use. Choose another: npm start -- --port 0 takes a free one.\n`,
    );
    taken.close();
  });

  it.each([
    ['start', '--port', 'src/dev/start/index.ts', 'npm start -- …'],
    ['start', '--no-demo', 'src/dev/start/index.ts', 'npm start -- …'],
    ['deploy', '--dry-run', 'src/tool/deploy/index.ts', 'npm run deploy -- …'],
    ['registry', '--remote', 'src/tool/index.ts', 'npm run registry -- …'],
  ])(
    'refuses to run %s without %s, which npm has kept for itself',
    (script, option, file, call) => {
      const name = option.replace(/^--(no-)?/, '').replaceAll('-', '_');
      const env = { ...process.env, npm_lifecycle_event: script, [`npm_config_${name}`]: 'true' };
      const { status, stdout, stderr } = spawnSync(process.execPath, [file], {
        env,
        encoding: 'utf8',
      });
      expect({ status, stdout, stderr }).toEqual({
        status: 2,
        stdout: '',
        stderr: `npm has kept ${option} for itself. Write -- first: ${call}\n`,
      });
    },
  );

  it.each([
    ['an unknown option', ['--prot', '3'], "unknown option '--prot'\n(Did you mean --port?)"],
    ['a port without a value', ['--port'], "option '--port <port>' argument missing"],
    ['a port that none can be', ['--port', '99999'], 'It must be 0 to 65535.'],
    ['a stray word', ['demo'], 'too many arguments'],
    ['a sandbox without demo data', ['--sandbox', '--no-demo'], 'cannot be used with'],
    ['a sandbox of an environment', ['--sandbox', '--env', 'production'], 'cannot be used with'],
  ])('calls %s wrong usage, and does nothing', async (_, options, message) => {
    const { ended, printed } = run(...options);
    expect(await ended).toBe(2);
    expect(printed()).toContain(message);
    expect(printed()).not.toContain('✓');
  });

  it('refuses a clock before the release, and does not wait for the runtime', async () => {
    const early = 'const now = Date.now; Date.now = () => now() - 1000 * 24 * 3600 * 1000';
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(early)}`;
    const { ended, printed } = tracked(runServerIn('.', { NODE_OPTIONS }, '--port', '0'));
    expect(await ended).toBe(1);
    expect(printed()).toMatch(
      /^this machine's clock says 20\S+Z, which is before this release \(20\S+\), so nothing was started: set it\n$/,
    );
  });
});
