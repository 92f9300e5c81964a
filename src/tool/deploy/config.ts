import { readFileSync, writeFileSync } from 'node:fs';
import { RegistryError } from '../../base/error.ts';
import { deployedId, readEnvironment } from '../wrangler-config.ts';
import type { Deployment } from './deployment.ts';

/**
 * An undefined id is yet to be created. Throws `not_found` if wrangler.toml lacks the environment
 * or a binding.
 */
export function readDeployConfig({ configPath, environment }: Deployment) {
  const { config, own, database, lists, archive } = readEnvironment(configPath, environment);
  if (!own || !database || !lists) {
    const message = `wrangler.toml has no environment "${environment}" with the bindings DB and LISTS`;
    throw new RegistryError('not_found', message, 'env');
  }
  const { producers = [], consumers = [] } = own.queues ?? {};
  const queues = new Set([...producers, ...consumers].map(({ queue }) => queue));
  const worker = `${config.name}-${environment}`;
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
