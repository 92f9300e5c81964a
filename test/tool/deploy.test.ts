import { readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'smol-toml';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { findProblem } from '../../src/tool/deploy/config.ts';
import { type Deployment, printPlan, runSteps } from '../../src/tool/deploy/deployment.ts';
import { deskSteps, readDesk } from '../../src/tool/deploy/desk.ts';
import { steps } from '../../src/tool/deploy/steps.ts';
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
  await rm(configPath, { force: true });
  await newAccount();
});

/** A new account, and a wrangler.toml that names nothing of it. */
async function newAccount(): Promise<void> {
  await cp('wrangler.toml', configPath);
  account = new Account();
}

async function editConfig(edit: (text: string) => string): Promise<void> {
  await writeFile(configPath, edit(await readFile(configPath, 'utf8')));
}

const healthy = (build = account.build) =>
  Response.json({ status: 'ok', version: '1.2.3', build, lists: {} });

/** Only these addresses answer. */
const answering = (urls: string[]) => async (url: string) =>
  urls.some((each) => url.startsWith(each)) ? healthy() : new Response(null, { status: 404 });

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
      const isVersion = url.startsWith(`https://${account.build.slice(0, 8)}-`);
      return isVersion ? new Response(null, { status: 404 }) : healthy();
    },
    subdomain: async () => 'example',
    hasAddress: async () => false,
    pause: async () => {},
    say: (line) => said.push(line),
    ...overrides,
  };
  return { deployment, said, asked };
}

const stepsOf = ({ desk }: Deployment) => (desk ? [...steps, ...deskSteps] : steps);

async function deploy(overrides?: Partial<Deployment>) {
  const { deployment, said, asked } = newDeployment(overrides);
  const isDone = await runSteps(stepsOf(deployment), deployment);
  return { isDone, said: said.join('\n'), asked };
}

/** The calls of wrangler since the last look that changed something. */
function changes(): string[] {
  const looking = / (list|info|status|execute) |^whoami/;
  return account.calls.splice(0).filter((call) => !looking.test(`${call} `));
}

const database = 'd1000000-0000-4000-8000-000000000001';
const namespace = 'c0000000000000000000000000000001';

/** The changes of every deployment, also of one for which everything is there already. */
const eachTime = [
  'deploy --env production',
  ...['lifecycle', 'lock'].map(
    (kind) =>
      `r2 bucket ${kind} set registry-edge-production-backups --file src/tool/deploy/backup-${kind}.json --force --jurisdiction eu`,
  ),
];

test('a deployment creates in the European Union what is missing, the tables and the keys before the Worker', async () => {
  const { isDone, said, asked } = await deploy();

  expect(said).not.toContain('✗');
  expect(isDone).toBe(true);
  expect(changes()).toEqual([
    'd1 create registry-edge --jurisdiction eu',
    'kv namespace create registry-edge-production-lists --jurisdiction eu',
    'queues create registry-edge-webhooks --jurisdiction eu',
    'r2 bucket create registry-edge-archive --jurisdiction eu',
    'd1 migrations apply DB --remote --env production',
    'secret put REGISTRANT_TOKEN_KEYS --env production',
    eachTime[0],
    'r2 bucket create registry-edge-production-backups --jurisdiction eu',
    ...eachTime.slice(1),
  ]);
  expect(asked).toEqual([
    'https://registry-edge-production.example.workers.dev/health',
    'https://5f0e6a1c-registry-edge-production.example.workers.dev/health',
  ]);
  // Keys of full strength, which it never prints.
  expect(account.secrets.get('REGISTRANT_TOKEN_KEYS')).toMatch(/^k1:[0-9a-f]{64}$/);
  for (const key of account.secrets.values()) expect(said).not.toContain(key);
});

const domain = 'https://registry.example.ee';
const route = 'routes = [{ pattern = "registry.example.ee", custom_domain = true }]';

test.each([
  ['of the version', 'https://5f0e6a1c-registry-edge-production.example.workers.dev'],
  ['of the Worker', 'https://registry-edge-production.example.workers.dev'],
])(
  'a deployment fails while the address %s below workers.dev answers beside the domain',
  async (_, open) => {
    await editConfig((text) => text.replace('routes = []', route));
    const wrangler: Deployment['wrangler'] = async (args, input) =>
      (await account.wrangler(args, input)).replace(/https:\S+workers\.dev/, 'No targets deployed');

    const failed = await deploy({ wrangler, fetch: answering([domain, open]) });
    expect(failed.isDone).toBe(false);
    expect(failed.said).toContain(`${open} answers with this deployment's data`);

    expect((await deploy({ wrangler, fetch: answering([domain]) })).isDone).toBe(true);
  },
);

test('the configuration bounds the CPU of an invocation in every environment, and of the desk', () => {
  const limits = { cpu_ms: 20_000 };
  const { env } = parse(readFileSync('wrangler.toml', 'utf8'));
  for (const environment of Object.values(env as object))
    expect(environment).toMatchObject({ limits });
  expect(parse(readFileSync('src/desk/wrangler.toml', 'utf8'))).toMatchObject({ limits });
});

test('the configuration turns the addresses of versions off in every environment', () => {
  const config = parse(readFileSync('wrangler.toml', 'utf8'));
  expect(config.preview_urls).toBe(false);
  for (const environment of Object.values(config.env as Record<string, object>)) {
    expect(environment).not.toHaveProperty('preview_urls');
    expect(environment).not.toHaveProperty('workers_dev');
  }
});

const inStaging = (from: string, to: string) => (text: string) => {
  const [head, staging] = text.split(/^(?=\[env\.staging\])/m);
  return head! + staging!.replace(from, to);
};

test.each([
  ['routes above the environments', (text: string) => `${route}\n${text}`, 'has routes above its'],
  ['a route above them', (text: string) => `route = "a.ee/*"\n${text}`, 'has routes above its'],
  [
    'a policy that says more than a limiter allows',
    inStaging('"caller";q=600;', '"caller";q=1000000;'),
    'env.staging of wrangler.toml: RATE_LIMIT_POLICY says "caller";q=1000000;w=60, but CALLER_LIMITER allows 600 in 60 seconds',
  ],
  [
    'a limiter of another period',
    inStaging('limit = 10, period = 60', 'limit = 10, period = 10'),
    'RATE_LIMIT_POLICY says "failed-login";q=10;w=60, but FAILED_LOGIN_LIMITER allows 10 in 10 seconds',
  ],
  [
    'a malformed setting',
    inStaging('NAME_LETTERS = ""', 'NAME_LETTERS = "a1"'),
    'env.staging of wrangler.toml: settings are missing or malformed: NAME_LETTERS: must be',
  ],
  ['malformed hours', inStaging('_HOURS = "72"', '_HOURS = "3d"'), 'DISCLOSURE_HOURS must be'],
  [
    'the local environment',
    inStaging('ENVIRONMENT = "production"', 'ENVIRONMENT = "local"'),
    'ENVIRONMENT must be production',
  ],
])('a deployment is refused before anything is created with %s', async (_, edit, reason) => {
  await editConfig(edit);
  const { isDone, said } = await deploy({ environment: 'staging' });
  expect(isDone).toBe(false);
  expect(said).toContain(reason);
  expect(changes()).toEqual([]);
});

test('the settings of each environment are well-formed, and callers read the limits of its limiters', () => {
  type Environment = Parameters<typeof findProblem>[0];
  const file = parse(readFileSync('wrangler.toml', 'utf8')) as Environment & {
    env: Record<string, Environment>;
  };
  const local = { ...file, vars: { ...file.vars, ENVIRONMENT: 'local' } };
  for (const [name, environment] of Object.entries({ ...file.env, local })) {
    expect(findProblem(environment), name).toBeUndefined();
  }
});

const publicUrl = (url: string) => (text: string) =>
  text.replace(/(env\.production\.vars\][^[]*PUBLIC_URL = )""/, `$1"${url}"`);

test.each([
  ['https://registry.example.ee', route],
  ['https://registry-edge-production.example.workers.dev', 'routes = []'],
])('a deployment takes the public address %s with its routes: %s', async (url, routes) => {
  await editConfig((text) => publicUrl(url)(text).replace('routes = []', routes));
  expect((await deploy({ fetch: answering([url]) })).isDone).toBe(true);
});

test.each([
  [
    'https://staging.example.ee',
    route,
    "PUBLIC_URL is none of this deployment's hosts: registry.example.ee",
  ],
  [
    'https://registry.example.ee',
    'routes = []',
    "PUBLIC_URL is none of this deployment's hosts: registry-edge-production.*.workers.dev",
  ],
  ['http://registry.example.ee', route, 'PUBLIC_URL: must be https:// and a host name, or empty'],
])('a deployment refuses the public address %s with %s', async (url, routes, problem) => {
  await editConfig((text) => publicUrl(url)(text).replace('routes = []', routes));
  const { isDone, said } = await deploy();
  expect(isDone).toBe(false);
  expect(said).toContain(problem);
  expect(changes()).toEqual([]);
});

test('a repeated deployment creates nothing and keeps the keys', async () => {
  await deploy();
  const keys = new Map(account.secrets);
  changes();
  expect((await deploy()).isDone).toBe(true);
  expect(changes()).toEqual(eachTime);
  expect(account.secrets).toEqual(keys);
});

test.each([
  ['as it is', (text: string) => text],
  ['with the line endings of Windows', (text: string) => text.replaceAll('\n', '\r\n')],
  [
    'with comments behind the ids',
    (text: string) => text.replaceAll(/^(\w*id = .*)$/gm, '$1 # the id'),
  ],
])(
  'a deployment writes the two ids into wrangler.toml %s, and changes nothing else there',
  async (_, form) => {
    const original = await readFile(configPath, 'utf8');
    const [local, production, staging] = original.split(/^(?=\[env\.\w+\.vars)/m);
    const named = production!
      .replace(/(?<=^database_id = ").*(?=")/m, database)
      .replace(/(?<=^id = ").*(?=")/m, namespace);
    await editConfig(form);
    await deploy();
    expect(await readFile(configPath, 'utf8')).toBe(form([local, named, staging].join('')));
  },
);

test('a deployment changes nothing in a database whose restore was not finished, and says how to go on', async () => {
  account.unfinishedRestore = 'npm run registry -- restore registry.sqlite --remote';
  const { isDone, said } = await deploy();
  expect(isDone).toBe(false);
  expect(said).toContain('restore again: npm run registry -- restore registry.sqlite --remote');
  expect(account).toMatchObject({ migrations: 0, deployments: 0 });
});

test('a deployment stops when the account lacks what wrangler.toml names', async () => {
  await deploy();
  account.databases.length = 0;
  changes();
  const { isDone, said } = await deploy();
  expect(isDone).toBe(false);
  expect(said).toContain(`wrangler.toml names ${database}, which the account lacks`);
  expect(changes()).toEqual([]);
});

test('staging is deployed beside production, with data of its own', async () => {
  await deploy();
  expect((await deploy({ environment: 'staging' })).isDone).toBe(true);
  const [production, staging] = account.databases;
  expect([production!.name, staging!.name]).toEqual(['registry-edge', 'registry-edge-staging']);
  expect(parse(await readFile(configPath, 'utf8')).env).toMatchObject({
    production: { d1_databases: [{ database_id: production!.uuid }] },
    staging: {
      d1_databases: [{ database_id: staging!.uuid }],
      kv_namespaces: [{ id: account.namespaces[1]!.id }],
    },
  });
});

test('settings and secrets that no release reads any more are left alone', async () => {
  await editConfig((text) =>
    text.replace(/^ZONES = .*$/gm, '$&\nLOG_ORIGIN = "registry.example/log"'),
  );
  account.secrets.set('LOG_KEY', 'former');
  expect((await deploy()).isDone).toBe(true);
  expect([...account.secrets.keys()].sort()).toEqual(['LOG_KEY', 'REGISTRANT_TOKEN_KEYS']);
  expect(await readFile(configPath, 'utf8')).toContain('LOG_ORIGIN = "registry.example/log"');
});

test('no bucket of the archive is created where wrangler.toml binds none', async () => {
  await editConfig((text) => text.replace(/\[\[env\.production\.r2_buckets\]\]\n(.+\n)+/, ''));
  expect((await deploy()).isDone).toBe(true);
  expect([...account.buckets.keys()]).toEqual(['registry-edge-production-backups']);
});

test('--jurisdiction none leaves the place of the data to the platform, also when it is forgotten later', async () => {
  await editConfig((text) => text.replaceAll('jurisdiction = "eu"\n', ''));
  expect((await deploy({ jurisdiction: 'none' })).isDone).toBe(true);
  expect(changes().filter((call) => call.includes('--jurisdiction'))).toEqual([]);
  expect(account.buckets.get('registry-edge-archive')).toEqual({});
  expect(account.buckets.get('registry-edge-production-backups')).toHaveProperty('lock');
  expect((await deploy()).isDone).toBe(true);
  expect(changes()).toEqual(eachTime.map((call) => call.replace(' --jurisdiction eu', '')));
});

test('the bucket of the backups keeps its files locked for as long as it keeps them', async () => {
  await deploy();
  const { lifecycle, lock } = account.buckets.get('registry-edge-production-backups')!;
  const day = 24 * 60 * 60;
  const age = (days: number) => ({ type: 'Age', maxAge: days * day });
  const kept = { 'daily/': 7, 'weekly/': 35, 'monthly/': 366 };
  expect(lifecycle!.rules).toMatchObject([
    { conditions: { prefix: '' }, abortMultipartUploadsTransition: { condition: age(1) } },
    ...Object.entries(kept).map(([prefix, days]) => {
      return { conditions: { prefix }, deleteObjectsTransition: { condition: age(days) } };
    }),
  ]);
  expect(lock!.rules).toMatchObject(
    Object.entries(kept).map(([prefix, days]) => {
      return { prefix, enabled: true, condition: { type: 'Age', maxAgeSeconds: days * day } };
    }),
  );
});

const linesOf = (file: string) => readFileSync(file, 'utf8').split('\n');

test.each([false, true])(
  'a deployment that stopped continues when it is run again, whichever call failed (done: %s)',
  async (isDone) => {
    await deploy();
    const callCount = account.calls.length;
    for (let at = 0; at < callCount; at++) {
      await newAccount();
      await expectRepaired({ at, isDone });
    }
  },
);

/** The fault ends the run at once, and after a second run everything is there once. */
async function expectRepaired(fault: WranglerFault) {
  account.fault = fault;
  const first = await deploy();
  const label = `call ${fault.at}: ${account.calls[fault.at]}`;
  expect(first.isDone, label).toBe(false);
  expect(account.calls, label).toHaveLength(fault.at + 1);
  expect(first.said, label).toContain('wrangler: the connection was lost');
  account.fault = undefined;
  const keys = new Map(account.secrets);

  const second = await deploy();

  expect(second.isDone, label).toBe(true);
  expect(account, label).toMatchObject({
    databases: [{ uuid: database }],
    namespaces: [{ id: namespace }],
    queues: ['registry-edge-webhooks'],
  });
  expect(account.deployments, label).toBeGreaterThan(0);
  expect([...account.secrets.keys()], label).toEqual(['REGISTRANT_TOKEN_KEYS']);
  expect(Object.fromEntries(account.secrets), label).toMatchObject(Object.fromEntries(keys));
  expect(linesOf(configPath), label).toContain(`database_id = "${database}"`);
  expect(linesOf(configPath), label).toContain(`id = "${namespace}"`);
}

test('a deployment says that the lists could not be published, and publishes them when it is run again', async () => {
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

test('a deployment asks for the health until the new build answers, though the old one is of the same release', async () => {
  await deploy();
  const before = account.build;
  const answers = [
    () => Promise.reject(new Error('getaddrinfo ENOTFOUND')),
    async () => new Response('error code: 1042', { status: 404 }),
    async () => healthy(before),
    async () => healthy(),
    // The address of the version.
    async () => new Response(null, { status: 404 }),
  ];
  const { isDone } = await deploy({ fetch: () => answers.shift()!() });
  expect(isDone).toBe(true);
  expect(answers).toEqual([]);
});

test.each([
  ['it does not become well', 'new', { status: 503 }, 'The database is unreachable.'],
  ['only the build before answers', 'old', { status: 200 }, undefined],
])('a deployment fails, and says what the health was, when %s', async (_, build, init, reason) => {
  const { isDone, said } = await deploy({
    fetch: async () => Response.json({ version: '1.2.3', build, reason }, init),
  });
  expect(isDone).toBe(false);
  expect(said).toContain(`/health: ${init.status} {"version":"1.2.3","build":"${build}"`);
  expect(said).toContain(reason ?? '');
});

test('the login is asked for before anything is looked at', async () => {
  account.isLoggedIn = false;
  const { isDone, said } = await deploy();
  expect(isDone).toBe(false);
  expect(said).toMatch(/You are not logged in\. Run npx wrangler login/);
  expect(account.calls).toEqual(['whoami --json']);
});

test('a dry run without a login prints the steps for an empty account, and says that it has looked at none', async () => {
  account.isLoggedIn = false;
  const { states, commands, said } = await look();
  expect(states[0]).toMatch(/^Login: You are not logged in\. Run npx wrangler login/);
  expect(states[1]).toBe('Database: to create');
  expect(commands.slice(0, 2)).toEqual([
    'd1 create registry-edge --jurisdiction eu',
    'kv namespace create registry-edge-production-lists --jurisdiction eu',
  ]);
  expect(said).toContain('\nNo account was looked at: these are the steps for an empty one.');
});

/** What it says of each step, and the commands that it prints. Changes nothing. */
async function look(overrides?: Partial<Deployment>) {
  const before = await readFile(configPath, 'utf8');
  const { deployment, said } = newDeployment(overrides);
  changes();
  await printPlan(stepsOf(deployment), deployment);
  expect(changes()).toEqual([]);
  expect(await readFile(configPath, 'utf8')).toBe(before);
  return {
    states: said.flatMap((line) => /^\d+\. (.*)/.exec(line)?.[1] ?? []),
    commands: said.flatMap((line) => /^ {5}wrangler (.*?)(, .*)?$/.exec(line)?.[1] ?? []),
    end: said.at(-1),
    said,
  };
}
const doneEachTime = [
  'Worker: done each time',
  'Public lists: done each time',
  'Health: done each time',
  'Other addresses: done each time',
];

test('a dry run names what is to create in a new account, and the commands that the deployment then runs', async () => {
  const { states, commands, end } = await look();
  expect(states).toEqual([
    'Login: there, operator@example.ee',
    'Database: to create',
    'KV namespace of the lists: to create',
    'Queues: to create: registry-edge-webhooks',
    'Bucket of the archive: to create',
    expect.stringMatching(/^Migrations: to apply: 0000_/),
    'Key that signs tokens: to create: REGISTRANT_TOKEN_KEYS',
    ...doneEachTime,
    'Bucket of the backups: to create',
  ]);
  expect(end).toBe('\nNothing was changed.');
  await deploy();
  expect(commands).toEqual(changes());
});

test('a dry run says what is there after a deployment', async () => {
  await deploy();
  expect((await look()).states).toEqual([
    'Login: there, operator@example.ee',
    `Database: there, ${database}`,
    `KV namespace of the lists: there, ${namespace}`,
    'Queues: there',
    'Bucket of the archive: there, jurisdiction eu',
    'Migrations: there',
    'Key that signs tokens: there',
    ...doneEachTime,
    'Bucket of the backups: there, jurisdiction eu',
  ]);
  account.migrations = 0;
  expect((await look()).states[5]).toMatch(/^Migrations: to apply: 0000_.*, 0001_/);
});

test('staging has every setting and binding of production', () => {
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

/** A desk whose file names nothing, at a host that answers a stranger so. */
async function newDesk(stranger: () => Response = () => new Response(null, { status: 404 })) {
  const deskPath = path.join(directory, 'desk.toml');
  // An operator's file names a host and an application.
  const text = (await readFile('src/desk/wrangler.toml', 'utf8'))
    .replace(/^routes = .*/gm, 'routes = []')
    .replace(/^DESK_ACCESS_AUD = ".*"/gm, 'DESK_ACCESS_AUD = ""');
  await writeFile(deskPath, text);
  const readToml = () => readFile(deskPath, 'utf8');
  const desk = { host: 'desk.registry.example', configPath: deskPath };
  const asked: string[] = [];
  const fetch = async (url: string) => {
    asked.push(url);
    if (url === `https://${desk.host}/`) return stranger();
    return url.includes('-desk-') || url.includes('//5f0e')
      ? new Response(null, { status: 404 })
      : healthy();
  };
  return { ...{ desk, deskPath, readToml, asked, fetch }, overrides: { desk, fetch } };
}

test('a desk is deployed after the registry, with its ids and settings, and nothing else is created', async () => {
  await editConfig((text) => text.replaceAll('ZONES = ""', 'ZONES = "ee"'));
  const { overrides, readToml, deskPath, asked } = await newDesk();
  const { isDone, said } = await deploy(overrides);
  expect(said).not.toContain('✗');
  expect(isDone).toBe(true);
  const [last, ...others] = changes().reverse();
  expect(last).toMatch(`deploy --config ${deskPath} --env production --var ENVIRONMENT:production`);
  expect(last).toContain('--var ZONES:ee');
  const registry = changes();
  await newAccount();
  await deploy();
  expect(others.reverse()).toEqual([...changes(), ...registry]);
  expect(parse(await readToml()).env).toMatchObject({
    production: {
      routes: [{ pattern: 'desk.registry.example', custom_domain: true }],
      d1_databases: [{ database_id: database }],
      kv_namespaces: [{ id: namespace }],
    },
    staging: { routes: [] },
  });
  expect(asked.slice(-3)).toEqual([
    'https://desk.registry.example/',
    'https://5f0e6a1c-registry-edge-desk-production.example.workers.dev/',
    'https://registry-edge-desk-production.example.workers.dev/',
  ]);
});

test('a desk is deployed again to another host, and staging has one of its own', async () => {
  const { overrides, desk, readToml } = await newDesk();
  await deploy(overrides);
  const staging = { host: 'desk.staging.example', configPath: desk.configPath };
  const moved = { ...desk, host: 'new.registry.example' };
  const answer = async (url: string) =>
    new URL(url).pathname === '/health' && !url.includes('//5f0e')
      ? healthy()
      : new Response(null, { status: 404 });
  const again = { fetch: answer };
  expect((await deploy({ ...again, desk: moved })).isDone).toBe(true);
  expect((await deploy({ ...again, desk: staging, environment: 'staging' })).isDone).toBe(true);
  const host = (pattern: string) => [{ pattern, custom_domain: true }];
  expect(parse(await readToml()).env).toMatchObject({
    production: { routes: host('new.registry.example') },
    staging: {
      routes: host('desk.staging.example'),
      d1_databases: [{ database_id: account.databases[1]!.uuid }],
    },
  });
});

const redirect = (to: string) => new Response(null, { status: 302, headers: { Location: to } });

test.each([
  ['the login of Access', () => redirect('https://team.cloudflareaccess.com/cdn-cgi/login'), true],
  ['403', () => new Response(null, { status: 403 }), true],
  ['a page', () => new Response('a person'), false],
  [
    'a page that names the login',
    () => new Response('a person', { headers: { Location: 'https://team.cloudflareaccess.com/' } }),
    false,
  ],
  ['another redirect', () => redirect('https://registry.example/'), false],
  [
    'a redirect that only looks like the login',
    () => redirect('https://x.example/?.cloudflareaccess.com'),
    false,
  ],
  ['a failure', () => new Response(null, { status: 500 }), false],
])('a desk that answers a stranger with %s', async (_, stranger, isRight) => {
  const { overrides } = await newDesk(stranger as () => Response);
  expect((await deploy(overrides)).isDone).toBe(isRight);
});

test('a desk that answers below workers.dev fails', async () => {
  const { desk, fetch } = await newDesk();
  const open = async (url: string) =>
    url.includes('-desk-production.example.workers.dev') ? new Response('a person') : fetch(url);
  const { isDone, said } = await deploy({ desk, fetch: open });
  expect(isDone).toBe(false);
  expect(said).toContain(
    'workers.dev/ answers 200: src/desk/wrangler.toml needs workers_dev = false',
  );
});

test('says in which order Access is switched on, until the desk knows its application', async () => {
  const { overrides, deskPath } = await newDesk();
  const { said } = await deploy(overrides);
  expect(said).toMatch(
    /Access: missing.*404 to everybody.*1\. .*Worker registry-edge-desk-production.*2\. .*DESK_ACCESS_AUD of env\.production.*3\. Repeat/s,
  );
  const audience = 'a'.repeat(64);
  const text = await readFile(deskPath, 'utf8');
  const named = text.replace(/(?<=production\.vars\]\nDESK_ACCESS_AUD = ").*(?=")/, audience);
  await writeFile(deskPath, named);
  expect((await deploy(overrides)).said).toContain(`Access: DESK_ACCESS_AUD is ${audience}`);
  expect(await readFile(deskPath, 'utf8')).toContain(`DESK_ACCESS_AUD = "${audience}"`);
});

test('a dry run prints the steps of the desk, and a desk at the host of the registry is refused', async () => {
  const { overrides, desk } = await newDesk();
  const { states, said } = await look(overrides);
  expect(states.slice(-4).map((state) => state.split('\n')[0])).toEqual([
    'Desk: its configuration: done each time',
    'Desk: its Worker: done each time',
    'Desk: Access: missing, so the desk answers 404 to everybody. In this order:',
    'Desk: what a stranger gets: done each time',
  ]);
  expect(said.join('\n')).toContain(
    'wrangler deploy --config src/desk/wrangler.toml --env production, with',
  );
  await editConfig((text) => text.replace('routes = []', route));
  const { deployment } = newDeployment({ desk: { ...desk, host: 'registry.example.ee' } });
  expect(() => readDesk(deployment)).toThrow("registry.example.ee is the registry's");
});

test('a desk is refused with routes above the environments of its file', async () => {
  const { deskPath, overrides } = await newDesk();
  await writeFile(deskPath, `${route}\n${await readFile(deskPath, 'utf8')}`);
  const { deployment } = newDeployment(overrides);
  expect(() => readDesk(deployment)).toThrow('src/desk/wrangler.toml has routes above its');
});

test('a desk takes no host that something else uses, unless its file names it', async () => {
  const { overrides, deskPath, readToml } = await newDesk();
  const before = await readToml();
  const used = { ...overrides, hasAddress: async (host: string) => host === overrides.desk.host };
  const { isDone, said } = await deploy(used);
  expect(isDone).toBe(false);
  expect(said).toContain('desk.registry.example is in use.');
  expect(changes().join()).not.toContain('desk');
  expect(await readToml()).toBe(before);
  const named = `routes = [{ pattern = "${overrides.desk.host}", custom_domain = true }]`;
  await writeFile(deskPath, before.replace('routes = []', named));
  expect((await deploy(used)).isDone).toBe(true);
});

test('a desk of an environment that its file lacks is refused', async () => {
  const { overrides, deskPath, readToml } = await newDesk();
  await writeFile(deskPath, (await readToml()).replaceAll('env.staging', 'env.other'));
  const { deployment } = newDeployment({ ...overrides, environment: 'staging' });
  expect(() => readDesk(deployment)).toThrow('has no environment "staging"');
});

test('the desk is bound to the database and the lists alone, runs as the registry does, and has no other address', () => {
  const read = (file: string) => parse(readFileSync(file, 'utf8'));
  const [main, desk] = [read('wrangler.toml'), read('src/desk/wrangler.toml')];
  expect(desk).toMatchObject({
    compatibility_date: main.compatibility_date,
    workers_dev: false,
    preview_urls: false,
  });
  const own = ['DESK_ACCESS_AUD', 'DESK_TITLE'];
  for (const environment of Object.values(desk.env as Record<string, { vars: object }>)) {
    expect(Object.keys(environment)).toEqual(['routes', 'vars', 'd1_databases', 'kv_namespaces']);
    expect(Object.keys(environment.vars)).toEqual(own);
  }
  const known =
    'name main compatibility_date minify keep_names upload_source_maps limits workers_dev preview_urls';
  const tables = 'rules observability access vars d1_databases kv_namespaces env';
  const { account_id: _, ...rest } = desk;
  expect(Object.keys(rest)).toEqual(`${known} ${tables}`.split(' '));
  expect([desk.d1_databases, desk.kv_namespaces]).toMatchObject([
    [{ database_id: (main.d1_databases as { database_id: string }[])[0]!.database_id }],
    [{ id: (main.kv_namespaces as { id: string }[])[0]!.id }],
  ]);
});
