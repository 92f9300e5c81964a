import { RegistryError } from '../../base/error.ts';
import { domainAddress, readEnvironment } from '../wrangler-config.ts';
import { idPlace, readDeployConfig, requireOwnRoutes, routesPlace, writeValue } from './config.ts';
import {
  buildOf,
  type Deployment,
  eachTime,
  poll,
  type Step,
  workersDevHosts,
} from './deployment.ts';

const file = 'src/desk/wrangler.toml';

/** Throws `invalid` for the host of the registry itself, `not_found` if the desk's file lacks the environment. */
export function readDesk({ configPath, environment, desk }: Deployment) {
  const { host, configPath: deskPath } = desk!;
  const address = `https://${host}`;
  if (domainAddress(configPath, environment) === address) {
    throw new RegistryError(
      'invalid',
      `${host} is the registry's; the desk needs a host of its own`,
    );
  }
  const { config, own } = readEnvironment(deskPath, environment);
  if (!own) throw new RegistryError('not_found', `${file} has no environment "${environment}"`);
  requireOwnRoutes(config, file);
  const isNamed = domainAddress(deskPath, environment) === address;
  const worker = `${config.name}-${environment}`;
  return { address, isNamed, deskPath, worker, audience: own.vars?.DESK_ACCESS_AUD };
}

const configuration = eachTime(
  'Desk: its configuration',
  ({ environment, desk }) => `write the ids and ${desk!.host} into env.${environment} of ${file}`,
  async (deployment) => {
    const { isNamed, deskPath } = readDesk(deployment);
    const { environment, hasAddress, desk } = deployment;
    const { host } = desk!;
    // Without a terminal, wrangler replaces the records of a host without a question.
    if (!isNamed && (await hasAddress(host))) {
      throw new Error(
        `${host} is in use. If the desk may replace what is there, write it into routes of env.${environment} in ${file}.`,
      );
    }
    const { database, lists } = readDeployConfig(deployment);
    const values = [
      [idPlace(environment, 'd1_databases', 'database_id'), `"${database.id}"`],
      [idPlace(environment, 'kv_namespaces', 'id'), `"${lists.id}"`],
      [routesPlace(environment), `[{ pattern = "${host}", custom_domain = true }]`],
    ] as const;
    for (const [place, value] of values) {
      if (!writeValue(deskPath, place, value)) throw new Error(`${file} lacks ${place.name}`);
    }
    return `wrote the ids and ${host} into ${file}`;
  },
);

/** The settings of the registry stay in one file. */
const worker = eachTime(
  'Desk: its Worker',
  ({ environment }) =>
    `wrangler deploy --config ${file} --env ${environment}, with the settings of wrangler.toml`,
  async (deployment) => {
    const { configPath, environment } = deployment;
    const { deskPath } = readDesk(deployment);
    const settings = Object.entries(readEnvironment(configPath, environment).own?.vars ?? {});
    const vars = settings.flatMap(([name, value]) => ['--var', `${name}:${value}`]);
    const words = ['deploy', '--config', deskPath, '--env', environment, ...vars];
    deployment.build = buildOf(await deployment.wrangler(words));
    return `deployed build ${deployment.build}`;
  },
);

/** Access leads a stranger to its login. */
function isRefusal({ status, headers }: Response): boolean {
  if (status === 403 || status === 404) return true;
  const to = URL.parse(headers.get('Location') ?? '');
  return status >= 300 && to !== null && to.hostname.endsWith('.cloudflareaccess.com');
}

const strangerCheck = eachTime(
  'Desk: what a stranger gets',
  ({ desk }) => `GET / at ${desk!.host} and at the addresses below workers.dev, which must refuse`,
  async (deployment) => {
    const { address, worker } = readDesk(deployment);
    const answer = await poll(deployment, `${address}/`, isRefusal);
    for (const other of await workersDevHosts(deployment, worker)) {
      const response = await deployment.fetch(`https://${other}/`).catch(() => undefined);
      if (!response || isRefusal(response)) continue;
      throw new Error(
        `https://${other}/ answers ${response.status}: ${file} needs workers_dev = false`,
      );
    }
    return `${answer} at ${address}`.replace(/\s+/g, ' ');
  },
);

const access: Step = {
  title: 'Desk: Access',
  async plan(deployment) {
    const { worker, audience } = readDesk(deployment);
    if (audience) return { state: `DESK_ACCESS_AUD is ${audience}`, commands: [] };
    const state = `missing, so the desk answers 404 to everybody. In this order:
     1. In Cloudflare's dashboard, make an Access application for the Worker ${worker},
        with a policy that lets your staff in.
     2. Write its audience (AUD) into DESK_ACCESS_AUD of env.${deployment.environment} in ${file}.
     3. Repeat this command.`;
    return { state, commands: [] };
  },
};

/** After the steps of the registry, whose tables and settings the desk needs. */
export const deskSteps: readonly Step[] = [configuration, worker, access, strangerCheck];
