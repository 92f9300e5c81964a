import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Unstable_RawConfig } from 'wrangler';
import type { Env } from '../../base/env.ts';
import { RegistryError } from '../../base/error.ts';
import {
  disclosureHoursOf,
  findPublicUrl,
  findRateLimits,
  limiters,
  rateLimits,
  settings,
} from '../../worker/settings.ts';
import { deployedId, hostsOf, readEnvironment } from '../wrangler-config.ts';
import type { Deployment } from './deployment.ts';

/**
 * An undefined id is yet to be created. Throws `not_found` if wrangler.toml lacks the environment
 * or a binding, `invalid` if it must not be deployed as it is.
 */
export function readDeployConfig({ configPath, environment }: Deployment) {
  const { config, own, database, lists, archive } = readEnvironment(configPath, environment);
  if (!own || !database || !lists) {
    const message = `wrangler.toml has no environment "${environment}" with the bindings DB and LISTS`;
    throw new RegistryError('not_found', message, 'env');
  }
  requireOwnRoutes(config, 'wrangler.toml');
  const isLocal = own.vars?.ENVIRONMENT === 'local';
  const worker = `${config.name}-${environment}`;
  const problem = isLocal
    ? 'ENVIRONMENT must be production'
    : (findProblem(own) ??
      publicUrlProblem(own.vars?.PUBLIC_URL, hostsOf(configPath, environment), worker));
  if (problem)
    throw new RegistryError('invalid', `env.${environment} of wrangler.toml: ${problem}`);
  const { producers = [], consumers = [] } = own.queues ?? {};
  const queues = new Set([...producers, ...consumers].map(({ queue }) => queue));
  return {
    account: config.account_id,
    worker,
    database: {
      name: String(database.database_name),
      id: deployedId(database.database_id),
      idPlace: idPlace(environment, 'd1_databases', 'database_id'),
    },
    lists: {
      name: `${worker}-lists`,
      id: deployedId(lists.id),
      idPlace: idPlace(environment, 'kv_namespaces', 'id'),
    },
    archive: archive && {
      name: String(archive.bucket_name),
      jurisdiction: archive.jurisdiction === 'eu' ? ('eu' as const) : ('none' as const),
    },
    // Used by the nightly job only.
    backups: `${worker}-backups`,
    queues: [...queues].filter((queue) => queue !== undefined),
  };
}

/** Throws `invalid` for routes above the environments: each environment without its own would take them from the others. */
export function requireOwnRoutes({ route, routes }: Unstable_RawConfig, file: string): void {
  if (route === undefined && routes === undefined) return;
  const message = `${file} has routes above its environments, which each of them would take: move them into the environment that they are for`;
  throw new RegistryError('invalid', message);
}

type Environment = Pick<Unstable_RawConfig, 'vars' | 'ratelimits'>;

/** Says in which setting the Worker would fail, or where callers would read other limits than those that count. */
export function findProblem({ vars = {}, ratelimits = [] }: Environment): string | undefined {
  // Wrangler refuses a missing secret. Its value is known to the platform alone.
  const env = { ...vars, REGISTRANT_TOKEN_KEYS: `id:${'0'.repeat(64)}` } as unknown as Env;
  try {
    settings(env);
    disclosureHoursOf(env);
  } catch (error) {
    return (error as Error).message;
  }
  for (const name of rateLimits) {
    const [binding] = limiters[name];
    const said = findRateLimits(env)!.limits.get(name)!;
    const { limit, period } = ratelimits.find((each) => each.name === binding)?.simple ?? {};
    if (said.requests === limit && said.windowSeconds === period) continue;
    return `RATE_LIMIT_POLICY says "${name}";q=${said.requests};w=${said.windowSeconds}, but ${binding} allows ${limit} in ${period} seconds`;
  }
  return undefined;
}

/** Says at which hosts a deployment answers, if PUBLIC_URL is none of them. Without routes, it is below workers.dev. */
function publicUrlProblem(setting: unknown, hosts: readonly string[], worker: string) {
  const url = findPublicUrl(String(setting ?? ''));
  const known = hosts.length > 0 ? hosts : [`${worker}.*.workers.dev`];
  if (!url || known.some((pattern) => path.matchesGlob(new URL(url).host, pattern)))
    return undefined;
  return `PUBLIC_URL is none of this deployment's hosts: ${known.join(', ')}`;
}

interface Place {
  name: string;
  pattern: RegExp;
}

export const idPlace = (environment: string, table: string, key: string) =>
  placeIn(`[[env.${environment}.${table}]]`, key, /"[^"\r\n]*"|'[^'\r\n]*'/);

export const routesPlace = (environment: string) =>
  placeIn(`[env.${environment}]`, 'routes', /\[.*\]/);

function placeIn(header: string, key: string, value: RegExp): Place {
  const begin = header.replace(/[[\].]/g, '\\$&');
  const start = `${begin}(?:\\r?\\n(?!\\[).*)*?\\r?\\n\\s*${key}\\s*=\\s*`;
  const pattern = new RegExp(`^(${start})(${value.source})`, 'm');
  return { name: `${header.replace(/[[\]]+/g, '')}.${key}`, pattern };
}

/** Keeps the rest of the file. Returns false if it lacks the place. */
export function writeValue(configPath: string, { pattern }: Place, value: string): boolean {
  const text = readFileSync(configPath, 'utf8');
  writeFileSync(
    configPath,
    text.replace(pattern, (_, start) => start + value),
  );
  return pattern.test(text);
}
