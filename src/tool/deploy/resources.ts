import { readDeployConfig, writeId } from './config.ts';
import {
  calling,
  type Deployment,
  inJurisdiction,
  lacking,
  look,
  type Step,
} from './deployment.ts';

export const loginStep: Step = {
  title: 'Login',
  async plan({ wrangler }) {
    const answer = await wrangler(['whoami', '--json']).catch((error: Error) => {
      if (!error.message.includes('"loggedIn":false')) throw error;
      throw new Error(
        'You are not logged in. Run npx wrangler login, or set CLOUDFLARE_API_TOKEN, and try again.',
      );
    });
    const { email = 'by an API token' } = JSON.parse(answer);
    return { state: `there, ${email}`, commands: [] };
  },
};

/** A database with name and uuid, or a namespace with title and id, as wrangler lists it. */
type Listed = Partial<Record<'name' | 'uuid' | 'title' | 'id', string>>;

/**
 * Finds a thing by its name, or creates it, and writes its id into wrangler.toml. Wrangler itself would create it only
 * with the Worker, and then the Worker would run before its tables exist.
 */
function resourceStep(title: string, part: 'database' | 'lists', noun: string): Step {
  async function findId(deployment: Deployment): Promise<string | undefined> {
    const { name, id } = readDeployConfig(deployment)[part];
    const printed = await look(deployment, `${noun} list${part === 'database' ? ' --json' : ''}`);
    const listed: Listed[] = JSON.parse(printed ?? '[]');
    const things = listed.map(({ name, title, uuid, id }) => [name ?? title, uuid ?? id]);
    if (id === undefined) return things.find(([each]) => each === name)?.[1];
    if (deployment.isBlind || things.some(([, each]) => each === id)) return id;
    throw new Error(`wrangler.toml names ${id}, which the account lacks`);
  }
  return {
    title,
    async plan(deployment) {
      const { id: written, name, idLine } = readDeployConfig(deployment)[part];
      const id = await findId(deployment);
      const create = `${noun} create ${name}${inJurisdiction(deployment.jurisdiction)}`;
      const creating = calling(deployment, create, `created ${name}`);
      const writing = {
        words: `write ${idLine.name} into wrangler.toml`,
        async run() {
          const created = await findId(deployment);
          if (created === undefined) throw new Error(`wrangler created no ${name}`);
          writeId(deployment.configPath, idLine, created);
          return `wrote ${idLine.name} = "${created}" into wrangler.toml`;
        },
      };
      return {
        state: id === undefined ? 'to create' : `there, ${id}`,
        commands: [...(id ? [] : [creating]), ...(written ? [] : [writing])],
      };
    },
  };
}

export const databaseStep = resourceStep('Database', 'database', 'd1');
export const listsStep = resourceStep('KV namespace of the lists', 'lists', 'kv namespace');

export const queuesStep: Step = {
  title: 'Queues',
  async plan(deployment) {
    const place = inJurisdiction(deployment.jurisdiction);
    const missing: string[] = [];
    for (const name of readDeployConfig(deployment).queues) {
      // Wrangler has no list of queues in JSON.
      const info = await look(deployment, `queues info ${name}`, /Queue ".*" does not exist/);
      if (info === undefined) missing.push(name);
    }
    return lacking(missing, (name) =>
      calling(deployment, `queues create ${name}${place}`, `created ${name}`),
    );
  },
};
