import { randomBytes } from 'node:crypto';
import { readDeployConfig, writeId } from './config.ts';
import type { Deployment, Step } from './deployment.ts';

const configOf = ({ configPath, environment }: Deployment) =>
  readDeployConfig(configPath, environment);

const env = ({ environment }: Deployment) => ['--env', environment];

const migrating = ['d1', 'migrations', 'apply', 'DB', '--remote'];

/** Shows a command as it would be typed. */
const typed = (...args: string[]) => `wrangler ${args.join(' ')}`;

const login: Step = {
  title: 'Login',
  plan: () => [typed('whoami', '--json')],
  async run({ wrangler }) {
    const answer = await wrangler(['whoami', '--json']).catch((error: Error) => {
      if (!error.message.includes('"loggedIn":false')) throw error;
      return error.message;
    });
    const { loggedIn, email, accounts = [] } = JSON.parse(answer);
    if (!loggedIn) {
      throw new Error(
        'You are not logged in. Run npx wrangler login, or set CLOUDFLARE_API_TOKEN, and try again.',
      );
    }
    if (accounts.length > 1 && !process.env.CLOUDFLARE_ACCOUNT_ID) {
      const choices = accounts.map(({ id, name }: Listed) => `  ${id}  ${name}`).join('\n');
      throw new Error(
        `The login has several accounts. Set CLOUDFLARE_ACCOUNT_ID to one of them:\n${choices}`,
      );
    }
    return `${email ?? 'by an API token'}`;
  },
};

/**
 * Finds a thing by its name, or creates it, and writes its id into wrangler.toml. Wrangler itself would create it only
 * with the Worker, and then the Worker would run before its tables exist.
 */
function resourceStep(
  title: string,
  part: 'database' | 'lists',
  list: readonly string[],
  create: readonly string[],
): Step {
  return {
    title,
    plan(deployment) {
      const { name, id, table, key } = configOf(deployment)[part];
      if (id !== undefined) return [`nothing: wrangler.toml names ${id}`];
      return [
        typed(...list),
        `${typed(...create, name)}, if there is none of that name`,
        `${key} of env.${deployment.environment}.${table} is written into wrangler.toml`,
      ];
    },
    async run(deployment) {
      const { wrangler, configPath, environment } = deployment;
      const resource = configOf(deployment)[part];
      if (resource.id !== undefined) return resource.id;
      const find = async () => {
        const things: Listed[] = JSON.parse(await wrangler(list));
        const found = things.find(({ name, title }) => (name ?? title) === resource.name);
        return found && (found.uuid ?? found.id);
      };
      const existing = await find();
      if (existing === undefined) await wrangler([...create, resource.name]);
      const id = existing ?? (await find());
      if (id === undefined) throw new Error(`wrangler created no ${resource.name}`);
      writeId(configPath, environment, resource, id);
      return `${existing === undefined ? 'created' : 'found'} ${resource.name}, ${id}`;
    },
  };
}

/** An account has a name and an id, a database a name and a UUID, a namespace a title and an id. */
interface Listed {
  name?: string;
  uuid?: string;
  title?: string;
  id?: string;
}

const database = resourceStep('Database', 'database', ['d1', 'list', '--json'], ['d1', 'create']);
const lists = resourceStep(
  'KV namespace of the lists',
  'lists',
  ['kv', 'namespace', 'list'],
  ['kv', 'namespace', 'create'],
);

/**
 * Returns wrangler's answer, or undefined if it fails because the thing is not there. Any other failure must not pass for
 * that: a key that is there would be replaced, and every token would be invalid.
 */
async function absentIf(pattern: RegExp, answer: Promise<string>): Promise<string | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (pattern.test((error as Error).message)) return undefined;
    throw error;
  }
}

const queues: Step = {
  title: 'Queues',
  plan(deployment) {
    const names = configOf(deployment).queues;
    if (names.length === 0) return ['nothing: wrangler.toml names none'];
    return names.map(
      (name) =>
        `${typed('queues', 'info', name)}, and ${typed('queues', 'create', name)} if there is none`,
    );
  },
  async run(deployment) {
    const { wrangler } = deployment;
    const names = configOf(deployment).queues;
    const created: string[] = [];
    for (const name of names) {
      // Wrangler lists the queues for people only.
      const isThere = await absentIf(
        /Queue ".*" does not exist/,
        wrangler(['queues', 'info', name]),
      );
      if (isThere !== undefined) continue;
      await wrangler(['queues', 'create', name]);
      created.push(name);
    }
    if (created.length > 0) return `created ${created.join(', ')}`;
    return names.length === 0 ? 'none needed' : names.join(', ');
  },
};

const migrations: Step = {
  title: 'Migrations',
  plan: (deployment) => [typed(...migrating, ...env(deployment))],
  async run(deployment) {
    await deployment.wrangler([...migrating, ...env(deployment)]);
    return 'applied';
  },
};

const keyName = 'REGISTRANT_TOKEN_KEYS';

/** Before the Worker, which answers 500 without it; wrangler then creates an empty Worker that holds the secret. */
const signingKey: Step = {
  title: 'Key that signs tokens',
  plan: (deployment) => [
    typed('secret', 'list', ...env(deployment), '--format', 'json'),
    `${typed('secret', 'put', keyName, ...env(deployment))}, with a new random key, if there is none`,
  ],
  async run(deployment) {
    const { wrangler } = deployment;
    const list = wrangler(['secret', 'list', ...env(deployment), '--format', 'json']);
    const listed = (await absentIf(/Worker ".*" .*not found/, list)) ?? '[]';
    const isSet = JSON.parse(listed).some(({ name }: { name: string }) => name === keyName);
    if (isSet) return 'kept';
    const key = `k1:${randomBytes(32).toString('hex')}`;
    await wrangler(['secret', 'put', keyName, ...env(deployment)], key);
    return 'made and set';
  },
};

const worker: Step = {
  title: 'Worker',
  plan: (deployment) => [typed('deploy', ...env(deployment))],
  async run(deployment) {
    const printed = await deployment.wrangler(['deploy', ...env(deployment)]);
    deployment.address = addressIn(printed);
    deployment.build = buildIn(printed);
    return `deployed build ${deployment.build}, ${deployment.address ?? 'without an address'}`;
  },
};

/** The id of the version that `wrangler deploy` has uploaded. */
function buildIn(printed: string): string {
  const [, build] = /^Current Version ID: (\S+)/m.exec(printed) ?? [];
  if (build === undefined) throw new Error(`wrangler named no version:\n${printed}`);
  return build;
}

/** The address that `wrangler deploy` says the Worker answers at; a domain of the registry's own comes first. */
export function addressIn(printed: string): string | undefined {
  const [, domain] =
    /^\s*(?:https:\/\/)?([\w.-]+)\S* \((?:custom domain|zone)/m.exec(printed) ?? [];
  const [, url] = /(https:\/\/[\w.-]+\.workers\.dev)/.exec(printed) ?? [];
  return domain === undefined ? url : `https://${domain}`;
}

const publication: Step = {
  title: 'Public lists',
  plan: ({ environment }) => [
    `npm run registry -- lists publish --remote --env ${environment} --yes`,
  ],
  async run({ publish }) {
    await publish();
    return 'published';
  },
};

/** A new address takes a while to be known, and an answer of the build before is cached for seconds. */
const healthTries = 20;
const healthPauseMilliseconds = 3_000;

const health: Step = {
  title: 'Health',
  plan: () => ['GET /health, until the new build answers'],
  async run({ address, build, fetch, pause }) {
    if (address === undefined) return 'not asked, because the Worker has no address';
    let last = 'no answer';
    for (let tries = 1; tries <= healthTries; tries++) {
      if (tries > 1) await pause(healthPauseMilliseconds);
      try {
        const response = await fetch(`${address}/health`);
        const body = (await response.json()) as { version: string; build: string; reason?: string };
        const { version, reason } = body;
        last = `${response.status}, release ${version}, build ${body.build}${reason ? `: ${reason}` : ''}`;
        if (response.ok && body.build === build) return last;
      } catch (error) {
        last = (error as Error).message;
      }
    }
    throw new Error(`${address}/health: ${last}`);
  },
};

/** In this order the Worker that runs meanwhile always has what it needs. */
export const steps: readonly Step[] = [
  login,
  database,
  lists,
  queues,
  migrations,
  signingKey,
  worker,
  publication,
  health,
];

const countRegistrars = 'select count(*) as count from registrars';

/** The decisions that only a person can take, as far as they are not taken. */
export async function listLeft(deployment: Deployment): Promise<string[]> {
  const { environment, wrangler, address } = deployment;
  const { vars } = configOf(deployment);
  const isClosed = (setting: string) => /^[\s,]*(127[\d./]*|::1|[\s,])*$/.test(vars[setting] ?? '');
  const args = ['d1', 'execute', 'DB', '--remote', ...env(deployment), '--json'];
  const [{ results }] = JSON.parse(await wrangler([...args, '--command', countRegistrars]));
  const tool = (words: string) => `npm run registry -- ${words} --remote --env ${environment}`;
  return [
    ...(isClosed('AUCTION_API_ALLOWED_IPS')
      ? ['Set AUCTION_API_ALLOWED_IPS in wrangler.toml: nobody may report on auctions yet.']
      : []),
    ...(isClosed('REGISTRANT_AUTH_ALLOWED_IPS')
      ? ['Set REGISTRANT_AUTH_ALLOWED_IPS in wrangler.toml: nobody may ask for tokens yet.']
      : []),
    ...(results[0].count === 0
      ? [`Add the first registrar: ${tool('registrar add --code … --name …')}`]
      : []),
    ...(address === undefined || address.endsWith('.workers.dev')
      ? ["Give the Worker the registry's own domain: routes in wrangler.toml."]
      : []),
    `Once: go through the check list in src/cli/runbook.md. At any time: ${tool('health')}`,
  ];
}
