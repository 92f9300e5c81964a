import { readFileSync } from 'node:fs';
import { cp, lstat, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'smol-toml';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Deployment, printPlan, runSteps } from '../../src/cli/deploy/deployment.ts';
import { abortSteps, gradualSteps } from '../../src/cli/deploy/gradual.ts';
import { addressIn, listLeft, steps } from '../../src/cli/deploy/steps.ts';
import { queried } from '../support/analytics.ts';
import { Account, type WranglerFault } from './account.ts';

let directory: string;
let configPath: string;
let account: Account;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'registry-deploy-'));
  configPath = path.join(directory, 'wrangler.toml');
});
afterAll(() => rm(directory, { recursive: true, force: true }));
beforeEach(async () => {
  await cp('wrangler.toml', configPath);
  account = new Account();
});

const healthy = (build = account.build) =>
  Response.json({ status: 'ok', version: '1.2.3', build, lists: {} });

/** A deployment on the stand-in, with what it has printed. */
function newDeployment(overrides: Partial<Deployment> = {}) {
  const said: string[] = [];
  const asked: string[] = [];
  const deployment: Deployment = {
    environment: 'production',
    configPath,
    jurisdiction: 'eu',
    wrangler: account.wrangler,
    publish: async () => {},
    fetch: async (url) => {
      asked.push(url);
      return healthy();
    },
    pause: async () => {},
    analytics: async () => [],
    ask: async () => true,
    say: (line) => said.push(line),
    ...overrides,
  };
  return { deployment, said, asked };
}

const deploy = (overrides: Partial<Deployment> = {}) => {
  const { deployment, said, asked } = newDeployment(overrides);
  return runSteps(steps, deployment).then((isDone) => ({ isDone, said: said.join('\n'), asked }));
};

const database = 'd1000000-0000-4000-8000-000000000001';
const namespace = 'c0000000000000000000000000000001';

const bucketRules = ['lifecycle', 'lock'].map(
  (kind) =>
    `r2 bucket ${kind} set registry-edge-production-backups --file src/cli/deploy/backup-${kind}.json --force --jurisdiction eu`,
);

/** The calls of a deployment for which everything is there already. */
const repeated = [
  'whoami --json',
  'r2 bucket info registry-edge-archive --json --jurisdiction eu',
  "d1 execute DB --remote --env production --json --command select count(*) as count from sqlite_schema where name = 'restore_unfinished'",
  'd1 migrations apply DB --remote --env production',
  'secret list --env production --format json',
  'deploy --env production',
  'r2 bucket info registry-edge-production-backups --json --jurisdiction eu',
  ...bucketRules,
];

describe('npm run deploy', () => {
  it('creates what is missing, the tables before the Worker and the key before both answer', async () => {
    const { isDone, said, asked } = await deploy();

    expect(said).not.toContain('✗');
    expect(isDone).toBe(true);
    expect(account.calls.filter((call) => !call.startsWith('queues'))).toEqual([
      'whoami --json',
      'd1 list --json',
      'd1 create registry-edge --jurisdiction eu',
      'd1 list --json',
      'kv namespace list',
      'kv namespace create registry-edge-production-lists',
      'kv namespace list',
      'r2 bucket info registry-edge-archive --json --jurisdiction eu',
      'r2 bucket create registry-edge-archive --jurisdiction eu',
      "d1 execute DB --remote --env production --json --command select count(*) as count from sqlite_schema where name = 'restore_unfinished'",
      'd1 migrations apply DB --remote --env production',
      'secret list --env production --format json',
      'secret put REGISTRANT_TOKEN_KEYS --env production',
      'secret put LOG_KEY --env production',
      'deploy --env production',
      'r2 bucket info registry-edge-production-backups --json --jurisdiction eu',
      'r2 bucket info registry-edge-production-backups --json',
      'r2 bucket create registry-edge-production-backups --jurisdiction eu',
      ...bucketRules,
    ]);
    expect(account.secrets.get('REGISTRANT_TOKEN_KEYS')).toMatch(/^k1:[0-9a-f]{64}$/);
    expect(Buffer.from(account.secrets.get('LOG_KEY')!, 'base64')).toHaveLength(32);
    for (const key of account.secrets.values()) expect(said).not.toContain(key);
    expect(asked).toEqual(['https://registry-edge-production.example.workers.dev/health']);
  });

  it('says that a lost key of a log was made again, for the operator to announce it', async () => {
    const announce = 'made and set: LOG_KEY; announce the line of /log/key';
    const toml = await readFile(configPath, 'utf8');
    await writeFile(configPath, toml.replaceAll('LOG_ORIGIN = ""', 'LOG_ORIGIN = "a.example/log"'));
    await deploy();
    account.secrets.delete('LOG_KEY');
    expect((await deploy()).said).toContain(`Keys that sign: ${announce}`);
    expect((await deploy()).said).toContain('Keys that sign: kept');
  });

  it('writes the two ids into wrangler.toml, and changes nothing else', async () => {
    const before = await readFile(configPath, 'utf8');
    await deploy();
    const added = linesOf(configPath).filter((line) => !before.split('\n').includes(line));
    expect(added).toEqual([`database_id = "${database}"`, `id = "${namespace}"`]);
    expect(linesOf(configPath)).toHaveLength(before.split('\n').length);
  });

  it('keeps a comment behind an id, and a link that leads to wrangler.toml', async () => {
    const before = await readFile(configPath, 'utf8');
    const commented = before.replace(/^(database_id = "0[^"]*")$/gm, '$1 # the placeholder');
    const real = path.join(directory, 'real.toml');
    await writeFile(real, commented);
    await rm(configPath);
    await symlink(real, configPath);
    await deploy();
    expect((await lstat(configPath)).isSymbolicLink()).toBe(true);
    expect(await readFile(real, 'utf8')).toContain(`database_id = "${database}" # the placeholder`);
    await rm(configPath);
  });

  it('leaves the line endings of wrangler.toml as they are', async () => {
    const text = await readFile(configPath, 'utf8');
    await writeFile(configPath, text.replaceAll('\n', '\r\n'));
    expect((await deploy()).isDone).toBe(true);
    const written = await readFile(configPath, 'utf8');
    expect(written).toContain(`database_id = "${database}"\r\n`);
    expect(written.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  });

  it('changes nothing in a database whose restore was not finished, and says how to go on', async () => {
    account.unfinishedRestore = 'npm run registry -- restore registry.sqlite --remote';
    const { isDone, said } = await deploy();
    expect(isDone).toBe(false);
    expect(said).toContain('restore again: npm run registry -- restore registry.sqlite --remote');
    expect(account).toMatchObject({ migrations: 0, deployments: 0 });
  });

  it('makes nothing if wrangler.toml has no line in which an id could be written', async () => {
    const text = await readFile(configPath, 'utf8');
    const inline = 'kv_namespaces = [{ binding = "LISTS", id = "0000" }]';
    const [production] = /\[\[env\.production\.kv_namespaces\]\]\n(?:.+\n)*/.exec(text)!;
    await writeFile(
      configPath,
      text
        .replace(production, '')
        .replace('[env.production.vars]', `[env.production]\n${inline}\n[env.production.vars]`),
    );
    const { isDone, said } = await deploy();
    expect(isDone).toBe(false);
    expect(said).toContain(
      'wrangler.toml has no line "id = …" below [[env.production.kv_namespaces]]',
    );
    expect(account.calls).toEqual(['whoami --json']);
  });

  it('creates nothing and keeps the key when it is run again', async () => {
    await deploy();
    const keys = new Map(account.secrets);
    account.calls.length = 0;

    const { isDone } = await deploy();

    expect(isDone).toBe(true);
    expect(account.calls.filter((call) => !call.startsWith('queues'))).toEqual(repeated);
    expect(account.secrets).toEqual(keys);
    expect(account.deployments).toBe(2);
  });

  it('finds by name what was created before its id could be written', async () => {
    await deploy();
    await cp('wrangler.toml', configPath);
    await deploy();
    expect(account.databases).toHaveLength(1);
    expect(account.namespaces).toHaveLength(1);
    expect(linesOf(configPath)).toContain(`database_id = "${database}"`);
  });

  it('deploys staging beside production, with data of its own', async () => {
    await deploy();
    const { isDone } = await deploy({ environment: 'staging' });
    expect(isDone).toBe(true);
    expect(account.databases.map(({ name }) => name)).toEqual([
      'registry-edge',
      'registry-edge-staging',
    ]);
    const { env } = parse(readFileSync(configPath, 'utf8')) as unknown as {
      env: Record<string, Bindings>;
    };
    expect(env.production?.d1_databases[0]?.database_id).toBe(database);
    expect(env.staging?.d1_databases[0]?.database_id).toBe(account.databases[1]?.uuid);
    expect(env.staging?.kv_namespaces[0]?.id).toBe(account.namespaces[1]?.id);
  });

  it('creates the queues that wrangler.toml names', async () => {
    await deploy();
    await deploy();
    expect(account.queues).toEqual(['registry-edge-webhooks']);
  });
});

describe('the bucket of the archive', () => {
  it('can be locked by the command that the deployment says', async () => {
    const { said } = await deploy();
    expect(said).toContain(
      'created registry-edge-archive, in the jurisdiction eu; to lock it: npx wrangler r2 bucket lock add registry-edge-archive archive --retention-indefinite --force --jurisdiction eu',
    );
  });

  it('is not created outside the EU because its section forgot the jurisdiction', async () => {
    const text = await readFile(configPath, 'utf8');
    await writeFile(configPath, text.replaceAll('jurisdiction = "eu"\n', ''));
    const { isDone, said } = await deploy();
    expect(isDone).toBe(false);
    expect(said).toContain(
      'registry-edge-archive would be created outside the EU: add jurisdiction = "eu" to its section of wrangler.toml, or pass --jurisdiction none',
    );
    expect([...account.buckets.keys()]).toEqual([]);
  });

  it('is not created where wrangler.toml binds none', async () => {
    const text = await readFile(configPath, 'utf8');
    await writeFile(configPath, text.replace(/\[\[env\.production\.r2_buckets\]\]\n(.+\n)+/, ''));
    const { isDone, said } = await deploy();
    expect(isDone).toBe(true);
    expect(said).toContain('Bucket of the archive: none needed');
    expect([...account.buckets.keys()]).toEqual(['registry-edge-production-backups']);
  });
});

describe('the place of the data', () => {
  it('is the European Union for what can be bound to it', async () => {
    await deploy();
    expect(account.calls.filter((call) => / create /.test(call))).toEqual([
      'd1 create registry-edge --jurisdiction eu',
      'kv namespace create registry-edge-production-lists',
      'queues create registry-edge-webhooks --jurisdiction eu',
      'r2 bucket create registry-edge-archive --jurisdiction eu',
      'r2 bucket create registry-edge-production-backups --jurisdiction eu',
    ]);
  });

  it('is left to the platform with --jurisdiction none', async () => {
    await deploy({ jurisdiction: 'none' });
    expect(account.calls.filter((call) => call.includes('--jurisdiction eu'))).toEqual([
      'r2 bucket info registry-edge-archive --json --jurisdiction eu',
      'r2 bucket info registry-edge-production-backups --json --jurisdiction eu',
    ]);
    expect(account.buckets.get('registry-edge-production-backups')).toHaveProperty('lock');
    const { env } = parse(await readFile(configPath, 'utf8'));
    expect(env).toHaveProperty('production.r2_buckets', [
      { binding: 'ARCHIVE', bucket_name: 'registry-edge-archive' },
    ]);
    expect(env).toHaveProperty('staging.r2_buckets.0.jurisdiction', 'eu');
  });

  it('is not chosen again when the option is forgotten later', async () => {
    await deploy({ jurisdiction: 'none' });
    const { said } = await deploy();
    expect(said).toContain(
      'Bucket of the backups: registry-edge-production-backups, in no jurisdiction',
    );
    expect(account.databases).toHaveLength(1);
    expect(account.buckets.get('registry-edge-archive')).toEqual({});
    expect(account.buckets.size).toBe(2);
  });
});

it('keeps the files of the bucket for backups locked for as long as it keeps them', async () => {
  await deploy();
  const { lifecycle, lock } = account.buckets.get('registry-edge-production-backups')!;
  const day = 24 * 60 * 60;
  const age = (days: number) => ({ condition: { type: 'Age', maxAge: days * day } });
  const kept = { 'daily/': 7, 'weekly/': 35, 'monthly/': 366 };
  expect(lifecycle!.rules).toEqual([
    {
      id: 'abandoned uploads',
      enabled: true,
      conditions: { prefix: '' },
      abortMultipartUploadsTransition: age(1),
    },
    ...Object.entries(kept).map(([prefix, days]) => ({
      id: prefix.slice(0, -1),
      enabled: true,
      conditions: { prefix },
      deleteObjectsTransition: age(days),
    })),
  ]);
  expect(lock!.rules).toEqual(
    Object.entries(kept).map(([prefix, days]) => ({
      id: prefix.slice(0, -1),
      enabled: true,
      prefix,
      condition: { type: 'Age', maxAgeSeconds: days * day },
    })),
  );
});

interface Bindings {
  d1_databases: { database_id: string }[];
  kv_namespaces: { id: string }[];
}

const linesOf = (file: string) => readFileSync(file, 'utf8').split('\n');

describe('a deployment that stops midway', () => {
  it.each([false, true])(
    'continues when it is run again, whichever call fails (done: %s)',
    async (isDone) => {
      await deploy();
      const callCount = account.calls.length;
      for (let at = 0; at < callCount; at++) {
        await cp('wrangler.toml', configPath);
        account = new Account();
        await expectRepaired({ at, isDone });
      }
    },
  );

  /** The fault ends the run, and after a second run everything is there once. */
  async function expectRepaired(fault: WranglerFault) {
    account.fault = fault;
    const first = await deploy();
    const label = `call ${fault.at}: ${account.calls[fault.at]}`;
    expect(first.isDone, label).toBe(false);
    expect(first.said, label).toContain('wrangler: the connection was lost');
    account.fault = undefined;
    const keys = new Map(account.secrets);

    const second = await deploy();

    expect(second.isDone, label).toBe(true);
    expect(account.databases, label).toHaveLength(1);
    expect(account.namespaces, label).toHaveLength(1);
    expect(new Set(account.queues).size, label).toBe(account.queues.length);
    expect(account.deployments, label).toBeGreaterThan(0);
    expect([...account.secrets.keys()], label).toEqual(['REGISTRANT_TOKEN_KEYS', 'LOG_KEY']);
    expect(Object.fromEntries(account.secrets), label).toMatchObject(Object.fromEntries(keys));
    expect(linesOf(configPath), label).toContain(`database_id = "${database}"`);
    expect(linesOf(configPath), label).toContain(`id = "${namespace}"`);
  }

  it('never replaces a key because it could not be listed', async () => {
    await deploy();
    const key = account.secrets.get('REGISTRANT_TOKEN_KEYS');
    account.calls.length = 0;
    await deploy();
    const listing = account.calls.findIndex((call) => call.startsWith('secret list'));
    account.calls.length = 0;
    account.fault = { at: listing, isDone: false };
    const { isDone } = await deploy();
    expect(account.calls.at(-1)).toContain('secret list');
    expect(isDone).toBe(false);
    expect(account.secrets.get('REGISTRANT_TOKEN_KEYS')).toBe(key);
  });

  it('stops before the Worker when the migrations fail', async () => {
    await deploy();
    const at = account.calls.findIndex((call) => call.startsWith('d1 migrations apply'));
    await cp('wrangler.toml', configPath);
    account = new Account();
    account.fault = { at, isDone: false };
    await deploy();
    expect(account.calls.at(-1)).toMatch(/^d1 migrations apply/);
    expect(account.deployments).toBe(0);
  });

  it('says so when the lists could not be published, and publishes them when it is run again', async () => {
    let published = 0;
    const publish = async () => {
      published += 1;
      if (published === 1) throw new Error('The lists were not published, see above.');
    };
    const first = await deploy({ publish });
    expect(first.isDone).toBe(false);
    expect(first.said).toContain('The lists were not published');
    expect(first.asked).toEqual([]);
    expect((await deploy({ publish })).isDone).toBe(true);
    expect(published).toBe(2);
  });
});

describe('the health after a deployment', () => {
  it('is asked until the new build answers, though the old one is of the same release', async () => {
    await deploy();
    const before = account.build;
    const answers = [
      () => Promise.reject(new Error('getaddrinfo ENOTFOUND')),
      async () => new Response('error code: 1042', { status: 404 }),
      async () => healthy(before),
      async () => healthy(),
    ];
    const { isDone } = await deploy({ fetch: () => answers.shift()!() });
    expect(isDone).toBe(true);
    expect(answers).toEqual([]);
  });

  it('fails the deployment with its reason when it does not become well', async () => {
    const reason = 'The database is unreachable.';
    const { isDone, said } = await deploy({
      fetch: async () =>
        Response.json({ version: '1.2.3', build: account.build, reason }, { status: 503 }),
    });
    expect(isDone).toBe(false);
    expect(said).toContain(
      `/health: 503, release 1.2.3, build ${account.build}: The database is unreachable.`,
    );
  });

  it('fails the deployment when only the build before answers', async () => {
    await deploy();
    const before = account.build;
    const { isDone, said } = await deploy({ fetch: async () => healthy(before) });
    expect(isDone).toBe(false);
    expect(said).toContain(`/health: 200, release 1.2.3, build ${before}`);
  });
});

describe('the login', () => {
  it('is asked for before anything is done', async () => {
    const refusing: Deployment['wrangler'] = async (args) => {
      account.calls.push(args.join(' '));
      throw new Error('{"loggedIn":false}');
    };
    const { isDone, said } = await deploy({ wrangler: refusing });
    expect(isDone).toBe(false);
    expect(said).toContain('You are not logged in. Run npx wrangler login');
    expect(account.calls).toEqual(['whoami --json']);
  });

  it('has to choose one of several accounts', async () => {
    account.login = {
      loggedIn: true,
      accounts: [
        { id: 'a1', name: 'Registry' },
        { id: 'a2', name: 'Private' },
      ],
    };
    const { said } = await deploy();
    expect(said).toContain(
      'Set CLOUDFLARE_ACCOUNT_ID to one of them:\n  a1  Registry\n  a2  Private',
    );
  });
});

describe('what is left to do', () => {
  it('names the closed doors, the missing registrar and the missing domain', async () => {
    const { deployment } = newDeployment({ address: 'https://x.workers.dev' });
    expect(await listLeft(deployment)).toEqual([
      expect.stringContaining('Set AUCTION_API_ALLOWED_IPS'),
      expect.stringContaining('Set REGISTRANT_AUTH_ALLOWED_IPS'),
      expect.stringMatching(/^Set LOG_ORIGIN .* Then announce the line of \/log\/key\.$/),
      expect.stringContaining('Add the first registrar: npm run registry -- registrar add'),
      expect.stringContaining("the registry's own domain"),
      expect.stringMatching(
        /check list.* health --remote --env production --url https:\/\/x\.workers\.dev$/,
      ),
    ]);
  });

  it('is the check list alone once all of that is done', async () => {
    const toml = await readFile('wrangler.toml', 'utf8');
    const open = toml.replaceAll('"127.0.0.0/8, ::1"', '"192.0.2.0/24"');
    await writeFile(configPath, open.replaceAll('LOG_ORIGIN = ""', 'LOG_ORIGIN = "a.example/log"'));
    account.registrars = 3;
    const { deployment } = newDeployment({ address: 'https://registry.example.ee' });
    expect(await listLeft(deployment)).toEqual([expect.stringContaining('check list')]);
  });
});

describe('npm run deploy -- --gradual', () => {
  /** As an answer of Analytics Engine shows them: counts as text. */
  const figures = (build: string, requests: number, failures: number) => {
    return { build, requests: String(requests), failures: String(failures), p95: 12 };
  };
  const gradually = (overrides: Partial<Deployment> = {}) => {
    const { deployment, said } = newDeployment({ share: 10, ...overrides });
    const done = runSteps(gradualSteps, deployment);
    return done.then((isDone) => ({ isDone, said: said.join('\n') }));
  };
  const calls = () =>
    account.calls.filter((call) => /^(versions (u|d)|triggers|d1 mig)/.test(call));

  it('migrates, gives the new build its share, and all requests once that is agreed to', async () => {
    await deploy();
    const old = account.build;
    account.calls.length = 0;
    const asked: string[] = [];
    const { isDone, said } = await gradually({
      analytics: async (sql) => {
        expect(sql).toContain('FROM registry_edge WHERE');
        expect(() => queried(sql, [])).not.toThrow();
        return [figures(old, 900, 9), figures(account.build, 100, 50)];
      },
      ask: async (question) => {
        asked.push(question);
        expect(account.shares).toEqual({ [old]: 90, [account.build]: 10 });
        return true;
      },
    });
    const { build } = account;
    expect(said).not.toContain('✗');
    expect(isDone).toBe(true);
    expect(asked).toEqual([`Give ${build} all requests?`]);
    expect(said).toContain(`old ${old}: 900 requests, 9 failures (1.00 %), 95 % within 12 ms`);
    expect(said).toContain(`new ${build}: 100 requests, 50 failures (50.00 %), 95 % within 12 ms`);
    expect(calls()).toEqual([
      'd1 migrations apply DB --remote --env production',
      'versions upload --env production',
      `versions deploy ${build}@10 ${old}@90 --env production --yes`,
      `versions deploy ${build}@100 --env production --yes`,
      'triggers deploy --env production',
    ]);
  });

  it('stays as it is after a no, uploads nothing when it is run again, and can be taken back', async () => {
    await deploy();
    const old = account.build;
    const refused = await gradually({ ask: async () => false });
    expect(refused.isDone).toBe(false);
    expect(refused.said).toContain('goes on answering 10 % of the requests');
    const uploads = account.versions.length;

    const again = await gradually({ ask: async () => false, share: 50 });
    expect(account.shares).toEqual({ [old]: 50, [account.build]: 50 });
    expect(again.said).toContain(
      `${account.build} was uploaded earlier, and what is checked out now is not uploaded. To upload it: npm run deploy -- --env production --abort first`,
    );
    expect(refused.said).not.toContain('was uploaded earlier');
    expect(account.versions).toHaveLength(uploads);

    const { deployment, said } = newDeployment();
    expect(await runSteps(abortSteps, deployment)).toBe(true);
    expect(account.shares).toEqual({ [old]: 100 });
    await runSteps(abortSteps, deployment);
    expect(said.at(-1)).toContain('nothing to take back');
  });

  it('waits until the new build has answered enough to be compared', async () => {
    await deploy();
    let pauses = 0;
    await gradually({
      analytics: async () => [figures(account.build, pauses * 40, 0)],
      pause: async () => void pauses++,
    });
    expect(pauses).toBe(3);
  });

  it('asks all the same when the data points cannot be read', async () => {
    await deploy();
    const { isDone, said } = await gradually({
      analytics: () => Promise.reject(new Error('403 Forbidden')),
    });
    expect(isDone).toBe(true);
    expect(said).toContain('the data points could not be read: 403 Forbidden');
  });

  it('compares nothing with nothing: the first deployment is whole', async () => {
    const { isDone, said } = await gradually();
    expect(isDone).toBe(false);
    expect(said).toContain('deploy without --gradual');
    expect(account).toMatchObject({ versions: [], databases: [], secrets: new Map() });
  });
});

it.each([
  ['  https://a.b.workers.dev\n', 'https://a.b.workers.dev'],
  ['  registry.example.ee (custom domain)\n', 'https://registry.example.ee'],
  [
    '  https://a.b.workers.dev\n  registry.example.ee (custom domain - zone id: 1)\n',
    'https://registry.example.ee',
  ],
  ['  registry.example.ee/* (zone name: example.ee)\n', 'https://registry.example.ee'],
  ['No targets deployed\n', undefined],
])('reads the address in %j', (printed, address) => {
  expect(addressIn(printed)).toBe(address);
});

describe('npm run deploy -- --dry-run', () => {
  /** The steps with what they say of the account, and the calls of wrangler for it. */
  async function look(overrides: Partial<Deployment> = {}) {
    account.calls.length = 0;
    const before = await readFile(configPath, 'utf8');
    const { deployment, said } = newDeployment(overrides);
    await printPlan(steps, deployment);
    expect(await readFile(configPath, 'utf8')).toBe(before);
    const changing = /create|apply|put|set|^deploy/;
    expect(account.calls.filter((call) => changing.test(call))).toEqual([]);
    return {
      titles: said.filter((line) => /^\d/.test(line)),
      commands: said.filter((line) => line.startsWith('     ')),
      end: said.at(-1),
    };
  }

  it('says of each step what is to create in a new account, and changes nothing', async () => {
    const { titles, commands, end } = await look();
    expect(titles).toEqual([
      '1. Login: there, operator@example.ee',
      '2. Database: to create',
      '3. KV namespace of the lists: to create',
      '4. Queues: to create: registry-edge-webhooks',
      '5. Bucket of the archive: to create',
      '6. Migrations: not looked at: wrangler.toml names no database yet',
      '7. Keys that sign: to create: REGISTRANT_TOKEN_KEYS, LOG_KEY',
      '8. Worker: to create',
      '9. Public lists: done each time',
      '10. Health: done each time',
      '11. Bucket of the backups: to create',
    ]);
    expect(commands).toContain('     wrangler d1 migrations apply DB --remote --env production');
    expect(end).toBe('\nNothing was changed. Not looked at: Migrations, Public lists, Health.');
  });

  it('says what is there after a deployment', async () => {
    await deploy();
    expect((await look()).titles).toEqual([
      '1. Login: there, operator@example.ee',
      `2. Database: there, ${database}`,
      `3. KV namespace of the lists: there, ${namespace}`,
      '4. Queues: there',
      '5. Bucket of the archive: there, in the jurisdiction eu',
      '6. Migrations: there',
      '7. Keys that sign: there',
      '8. Worker: there, to be replaced',
      '9. Public lists: done each time',
      '10. Health: done each time',
      '11. Bucket of the backups: there, in the jurisdiction eu',
    ]);
    account.migrations = 0;
    expect((await look()).titles).toContain(
      '6. Migrations: to apply: 0000_tables.sql, 0001_triggers.sql',
    );
  });

  it('tells what exists from what wrangler.toml names', async () => {
    await deploy();
    account.namespaces.length = 0;
    expect((await look()).titles).toContain(
      `3. KV namespace of the lists: missing: wrangler.toml names ${namespace}, which the account lacks`,
    );
    await cp('wrangler.toml', configPath);
    expect((await look()).titles).toContain(
      `2. Database: there, ${database}, which wrangler.toml is to name`,
    );
  });

  it('looks at nothing without a login, and prints every step', async () => {
    account.login = { loggedIn: false };
    const { titles, commands } = await look();
    const obstacle = 'not looked at: not logged in';
    expect(titles).toEqual([
      '1. Login: not looked at: You are not logged in. Run npx wrangler login, or set CLOUDFLARE_API_TOKEN, and try again.',
      `2. Database: ${obstacle}`,
      `3. KV namespace of the lists: ${obstacle}`,
      `4. Queues: ${obstacle}`,
      `5. Bucket of the archive: ${obstacle}`,
      `6. Migrations: ${obstacle}`,
      `7. Keys that sign: ${obstacle}`,
      `8. Worker: ${obstacle}`,
      '9. Public lists: done each time',
      '10. Health: done each time',
      `11. Bucket of the backups: ${obstacle}`,
    ]);
    expect(account.calls).toEqual(['whoami --json']);
    expect(commands.length).toBeGreaterThan(steps.length);
  });

  it('goes on when one thing cannot be looked at', async () => {
    await deploy();
    account.fault = { at: 1, isDone: false };
    const { titles, end } = await look();
    expect(titles[1]).toBe('2. Database: not looked at: wrangler: the connection was lost');
    expect(titles[2]).toBe(`3. KV namespace of the lists: there, ${namespace}`);
    expect(end).toContain('Not looked at: Database, Public lists, Health.');
  });
});

it('has in staging every setting and binding of production', () => {
  const { env } = parse(readFileSync('wrangler.toml', 'utf8')) as { env: Record<string, object> };
  const bare = (environment: object | undefined) =>
    JSON.parse(
      JSON.stringify(environment)
        .replaceAll(/[-_]staging/g, '')
        .replaceAll(/"namespace_id":"\d(\d+)"/g, '"namespace_id":"$1"')
        .replaceAll(/"(database_id|id)":"[^"]+"/g, '"$1":"…"'),
    );
  expect(bare(env.staging)).toEqual(bare(env.production));
});
