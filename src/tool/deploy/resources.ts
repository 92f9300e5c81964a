import { readDeployConfig, writeValue } from './config.ts';
import {
  calling,
  type Deployment,
  inJurisdiction,
  lacking,
  look,
  NotLoggedInError,
  type Step,
} from './deployment.ts';

export const loginStep: Step = {
  title: 'Login',
  async plan({ wrangler }) {
    const answer = await wrangler(['whoami', '--json']).catch((error: Error) => {
      if (!error.message.includes('"loggedIn":false')) throw error;
      throw new NotLoggedInError(
        'You are not logged in. Run npx wrangler login, or set CLOUDFLARE_API_TOKEN, and try again.',
      );
    });
    const { email = 'by an API token' } = JSON.parse(answer);
    return { state: `there, ${email}`, commands: [] };
  },
};

type Listed = Partial<Record<'name' | 'uuid' | 'title' | 'id', string>>;

/**
 * Wrangler itself would create the resource with the Worker, which would then run before its tables
 * exist.
 */
function resourceStep(title: string, resource: 'database' | 'lists', commands: string): Step {
  async function findId(deployment: Deployment): Promise<string | undefined> {
    const { name, id } = readDeployConfig(deployment)[resource];
    const list = `${commands} list${resource === 'database' ? ' --json' : ''}`;
    const listed: Listed[] = JSON.parse(await deployment.wrangler(list.split(' ')));
    const things = listed.map(({ name, title, uuid, id }) => [name ?? title, uuid ?? id]);
    if (id === undefined) return things.find(([each]) => each === name)?.[1];
    if (things.some(([, each]) => each === id)) return id;
    throw new Error(`wrangler.toml names ${id}, which the account lacks`);
  }
  return {
    title,
    async plan(deployment) {
      const { id: written, name, idPlace } = readDeployConfig(deployment)[resource];
      const id = await findId(deployment);
      const create = `${commands} create ${name}${inJurisdiction(deployment.jurisdiction)}`;
      const creating = calling(deployment, create);
      const writing = {
        words: `write ${idPlace.name} into wrangler.toml`,
        async run() {
          const created = await findId(deployment);
          if (created === undefined) throw new Error(`wrangler created no ${name}`);
          writeValue(deployment.configPath, idPlace, `"${created}"`);
          return `wrote ${idPlace.name} = "${created}" into wrangler.toml`;
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
    const option = inJurisdiction(deployment.jurisdiction);
    const missing: string[] = [];
    for (const name of readDeployConfig(deployment).queues) {
      // Wrangler has no list of queues in JSON.
      const info = await look(deployment, `queues info ${name}`, /Queue ".*" does not exist/);
      if (info === undefined) missing.push(name);
    }
    return lacking(missing, (name) => calling(deployment, `queues create ${name}${option}`));
  },
};

type Jurisdiction = Deployment['jurisdiction'];

/**
 * Creates it in the first jurisdiction. Each jurisdiction has its own names, and a bucket never
 * moves.
 */
async function planBucket(
  deployment: Deployment,
  name: string,
  jurisdictions: readonly [Jurisdiction, ...Jurisdiction[]],
) {
  for (const jurisdiction of jurisdictions) {
    const info = `r2 bucket info ${name} --json${inJurisdiction(jurisdiction)}`;
    if (!(await look(deployment, info, /code: 10006|bucket does not exist/))) continue;
    return { home: jurisdiction, state: `there, jurisdiction ${jurisdiction}`, commands: [] };
  }
  const [jurisdiction] = jurisdictions;
  const create = `r2 bucket create ${name}${inJurisdiction(jurisdiction)}`;
  return { home: jurisdiction, state: 'to create', commands: [calling(deployment, create)] };
}

/** Before the Worker, which cannot be deployed with a binding to a missing bucket. */
export const archiveStep: Step = {
  title: 'Bucket of the archive',
  async plan(deployment) {
    const { archive } = readDeployConfig(deployment);
    if (!archive) return { state: 'none needed', commands: [] };
    return planBucket(deployment, archive.name, [archive.jurisdiction]);
  },
};

/** Each deployment sets these rules, by the prefix of the names. */
const ruleFiles = {
  lifecycle: 'src/tool/deploy/backup-lifecycle.json',
  lock: 'src/tool/deploy/backup-lock.json',
};

/** Last, because the service does not need this bucket, and an account may have to enable R2 first. */
export const backupsStep: Step = {
  title: 'Bucket of the backups',
  async plan(deployment) {
    const name = readDeployConfig(deployment).backups;
    const { jurisdiction } = deployment;
    const { home, state, commands } = await planBucket(deployment, name, [
      jurisdiction,
      jurisdiction === 'eu' ? 'none' : 'eu',
    ]);
    const rules = Object.entries(ruleFiles).map(([kind, file]) => {
      const set = `r2 bucket ${kind} set ${name} --file ${file} --force${inJurisdiction(home)}`;
      return calling(deployment, set);
    });
    return { state, commands: [...commands, ...rules] };
  },
};
