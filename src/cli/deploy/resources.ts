import { readDeployConfig, writeId } from './config.ts';
import { type Command, calling, type Deployment, type Step } from './deployment.ts';

export const configOf = ({ configPath, environment }: Deployment) =>
  readDeployConfig(configPath, environment);

export const env = ({ environment }: Deployment) => ['--env', environment];

/** The option that names the jurisdiction of what a command creates or looks for. */
export const inJurisdiction = (jurisdiction: Deployment['jurisdiction']) =>
  jurisdiction === 'none' ? [] : ['--jurisdiction', jurisdiction];

/**
 * Returns wrangler's answer, or undefined if the error says that the thing is not there. Throws any other error: if it
 * passed for that, a key that is there would be replaced, and every token would be invalid.
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

/** The names of what the account lacks. */
export interface Lacking {
  missing: readonly string[];
}

export const lacking = (missing: readonly string[], verb = 'create') => ({
  missing,
  state: missing.length === 0 ? 'there' : `to ${verb}: ${missing.join(', ')}`,
});

export const loginStep: Step = {
  title: 'Login',
  async find({ wrangler }) {
    const answer = await wrangler(['whoami', '--json']).catch((error: Error) => {
      if (!error.message.includes('"loggedIn":false')) throw error;
      return error.message;
    });
    const { loggedIn, email = 'by an API token', accounts = [] } = JSON.parse(answer);
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
    return { state: `there, ${email}` };
  },
  commands: () => [],
};

/** An account with name and id, a database with name and uuid, or a namespace with title and id, as wrangler lists it. */
interface Listed {
  name?: string;
  uuid?: string;
  title?: string;
  id?: string;
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
): Step<{ id?: string | undefined }> {
  async function findId(deployment: Deployment): Promise<string | undefined> {
    const { name, id } = configOf(deployment)[part];
    const listed: Listed[] = JSON.parse(await deployment.wrangler(list));
    const things = listed.map(({ name, title, uuid, id }) => [name ?? title, uuid ?? id]);
    if (id === undefined) return things.find(([each]) => each === name)?.[1];
    if (things.some(([, each]) => each === id)) return id;
    throw new Error(`wrangler.toml names ${id}, which the account lacks`);
  }
  return {
    title,
    async find(deployment) {
      const id = await findId(deployment);
      return { id, state: id === undefined ? 'to create' : `there, ${id}` };
    },
    commands(deployment, found) {
      const { configPath, environment, jurisdiction } = deployment;
      const resource = configOf(deployment)[part];
      if (resource.id !== undefined) return [];
      const { name, table, key } = resource;
      const create = calling(deployment, creation(name, jurisdiction), () => `created ${name}`);
      const write: Command = {
        words: `write ${key} of env.${environment}.${table} into wrangler.toml`,
        async run() {
          const id = await findId(deployment);
          if (id === undefined) throw new Error(`wrangler created no ${name}`);
          writeId(configPath, environment, resource, id);
          return `wrote ${key} = "${id}" into wrangler.toml`;
        },
      };
      return found?.id === undefined ? [create, write] : [write];
    },
  };
}

export const databaseStep = resourceStep(
  'Database',
  'database',
  ['d1', 'list', '--json'],
  (name, jurisdiction) => ['d1', 'create', name, ...inJurisdiction(jurisdiction)],
);
export const listsStep = resourceStep(
  'KV namespace of the lists',
  'lists',
  ['kv', 'namespace', 'list'],
  (name, jurisdiction) => ['kv', 'namespace', 'create', name, ...inJurisdiction(jurisdiction)],
);

export const queuesStep: Step<Lacking> = {
  title: 'Queues',
  async find(deployment) {
    const missing: string[] = [];
    for (const name of configOf(deployment).queues) {
      // Wrangler has no list of queues in JSON.
      const info = deployment.wrangler(['queues', 'info', name]);
      if (!(await absentIf(/Queue ".*" does not exist/, info))) missing.push(name);
    }
    return lacking(missing);
  },
  commands(deployment, { missing } = { missing: configOf(deployment).queues }) {
    const place = inJurisdiction(deployment.jurisdiction);
    return missing.map((name) =>
      calling(deployment, ['queues', 'create', name, ...place], () => `created ${name}`),
    );
  },
};
