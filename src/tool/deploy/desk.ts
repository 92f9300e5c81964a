import { RegistryError } from '../../base/error.ts';
import { domainAddress, readEnvironment } from '../wrangler-config.ts';
import { idPlace, readDeployConfig, routesPlace, writeValue } from './config.ts';
import {
  buildOf,
  type Deployment,
  eachTime,
  hostsBelow,
  type Step,
  untilRight,
} from './deployment.ts';

const file = 'src/desk/wrangler.toml';

/** Throws `invalid` for the host of the registry itself. */
export function readDesk({ configPath, environment, desk }: Deployment) {
  const { host, configPath: deskPath } = desk!;
  if (domainAddress(configPath, environment) === `https://${host}`) {
    throw new RegistryError(
      'invalid',
      `${host} is the registry's; the desk needs a host of its own`,
    );
  }
  const { config, own } = readEnvironment(deskPath, environment);
  const audience = own?.vars?.DESK_ACCESS_AUD;
  return { host, deskPath, worker: `${config.name}-${environment}`, audience };
}

const configuration = eachTime(
  'Desk: its configuration',
  ({ environment, desk }) => `write the ids and ${desk!.host} into env.${environment} of ${file}`,
  async (deployment) => {
    const { host, deskPath } = readDesk(deployment);
    const { environment } = deployment;
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
  return status < 400 && to !== null && to.hostname.endsWith('.cloudflareaccess.com');
}

const stranger = eachTime(
  'Desk: what a stranger gets',
  ({ desk }) => `GET / at ${desk!.host} and at the addresses below workers.dev, which must refuse`,
  async (deployment) => {
    const { host, worker } = readDesk(deployment);
    const own = `https://${host}/`;
    const answer = await untilRight(deployment, own, isRefusal);
    for (const other of await hostsBelow(deployment, worker)) {
      const response = await deployment.fetch(`https://${other}/`).catch(() => undefined);
      if (!response || isRefusal(response)) continue;
      throw new Error(
        `https://${other}/ answers ${response.status}: ${file} needs workers_dev = false`,
      );
    }
    return `${answer} at ${own}`.replace(/\s+/g, ' ');
  },
);

const access: Step = {
  title: 'Desk: Access',
  async plan(deployment) {
    const { worker, audience } = readDesk(deployment);
    if (audience) return { state: `it shows itself to the application ${audience}`, commands: [] };
    const state = `missing, so the desk answers 404 to everybody. In this order:
     1. In Cloudflare's dashboard, make an Access application for the Worker ${worker},
        with a policy that lets your staff in.
     2. Write its audience (AUD) into DESK_ACCESS_AUD of env.${deployment.environment} in ${file}.
     3. Repeat this command.`;
    return { state, commands: [] };
  },
};

/** After the steps of the registry, whose tables and settings the desk needs. */
export const deskSteps: readonly Step[] = [configuration, worker, stranger, access];
