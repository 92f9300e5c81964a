import { readDeployConfig, writeId } from './config.ts';
import type { Deployment, Step } from './deployment.ts';

export const configOf = ({ configPath, environment }: Deployment) =>
  readDeployConfig(configPath, environment);

export const env = ({ environment }: Deployment) => ['--env', environment];

export const typed = (...args: string[]) => `wrangler ${args.join(' ')}`;

/** The option that binds what a command creates, or finds, to the jurisdiction. */
export const inJurisdiction = (jurisdiction: Deployment['jurisdiction']) =>
  jurisdiction === 'none' ? [] : ['--jurisdiction', jurisdiction];

export const loginStep: Step = {
  title: 'Login',
  plan: () => [typed('whoami', '--json')],
  look: async (deployment) => `there, ${await readLogin(deployment)}`,
  run: readLogin,
};

async function readLogin({ wrangler }: Deployment): Promise<string> {
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
}

/**
 * Finds a thing by its name, or creates it, and writes its id into wrangler.toml. Wrangler itself would create it only
 * with the Worker, and then the Worker would run before its tables exist.
 */
function resourceStep(
  title: string,
  part: 'database' | 'lists',
  list: readonly string[],
  creation: (name: string, jurisdiction: Deployment['jurisdiction']) => string[],
): Step {
  /** The things of the kind in the account. */
  const all = async ({ wrangler }: Deployment) =>
    (JSON.parse(await wrangler(list)) as Listed[]).map(({ name, title, uuid, id }) => ({
      name: name ?? title,
      id: uuid ?? id,
    }));
  return {
    title,
    async look(deployment) {
      const { name, id } = configOf(deployment)[part];
      const things = await all(deployment);
      if (id !== undefined) {
        const isThere = things.some((thing) => thing.id === id);
        return isThere
          ? `there, ${id}`
          : `missing: wrangler.toml names ${id}, which the account lacks`;
      }
      const found = things.find((thing) => thing.name === name);
      return found ? `there, ${found.id}, which wrangler.toml is to name` : 'to create';
    },
    plan(deployment) {
      const { name, id, table, key } = configOf(deployment)[part];
      if (id !== undefined) return [`nothing: wrangler.toml names ${id}`];
      return [
        typed(...list),
        `${typed(...creation(name, deployment.jurisdiction))}, if there is none of that name`,
        `${key} of env.${deployment.environment}.${table} is written into wrangler.toml`,
      ];
    },
    async run(deployment) {
      const { wrangler, configPath, environment, jurisdiction } = deployment;
      const resource = configOf(deployment)[part];
      if (resource.id !== undefined) return resource.id;
      const find = async () =>
        (await all(deployment)).find(({ name }) => name === resource.name)?.id;
      const existing = await find();
      if (existing === undefined) await wrangler(creation(resource.name, jurisdiction));
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

export const databaseStep = resourceStep(
  'Database',
  'database',
  ['d1', 'list', '--json'],
  (name, jurisdiction) => ['d1', 'create', name, ...inJurisdiction(jurisdiction)],
);
/** In no jurisdiction: what is public is kept near to whoever reads it. */
export const listsStep = resourceStep(
  'KV namespace of the lists',
  'lists',
  ['kv', 'namespace', 'list'],
  (name) => ['kv', 'namespace', 'create', name],
);

/**
 * Returns wrangler's answer, or undefined if it fails because the thing is not there. Any other failure must not pass
 * for that: a key that is there would be replaced, and every token would be invalid.
 */
export async function absentIf<Answer>(
  pattern: RegExp,
  answer: Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (pattern.test((error as Error).message)) return undefined;
    throw error;
  }
}

const queueCreation = ({ jurisdiction }: Deployment, name: string) => [
  ...['queues', 'create', name],
  ...inJurisdiction(jurisdiction),
];

export const queuesStep: Step = {
  title: 'Queues',
  plan(deployment) {
    const names = configOf(deployment).queues;
    if (names.length === 0) return ['nothing: wrangler.toml names none'];
    return names.map(
      (name) =>
        `${typed('queues', 'info', name)}, and ${typed(...queueCreation(deployment, name))} if there is none`,
    );
  },
  async look(deployment) {
    const missing: string[] = [];
    for (const name of configOf(deployment).queues) {
      if (!(await isQueueThere(deployment, name))) missing.push(name);
    }
    return missing.length === 0 ? 'there' : `to create: ${missing.join(', ')}`;
  },
  async run(deployment) {
    const { wrangler } = deployment;
    const names = configOf(deployment).queues;
    const created: string[] = [];
    for (const name of names) {
      if (await isQueueThere(deployment, name)) continue;
      await wrangler(queueCreation(deployment, name));
      created.push(name);
    }
    if (created.length > 0) return `created ${created.join(', ')}`;
    return names.length === 0 ? 'none needed' : names.join(', ');
  },
};

/** Wrangler lists the queues for people only. */
async function isQueueThere({ wrangler }: Deployment, name: string): Promise<boolean> {
  const info = wrangler(['queues', 'info', name]);
  return (await absentIf(/Queue ".*" does not exist/, info)) !== undefined;
}
