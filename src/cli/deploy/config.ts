import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { RegistryError } from '../../error.ts';
import { readEnvironment } from '../wrangler-config.ts';

/** A thing in the account that wrangler.toml names by its id. */
interface Resource {
  name: string;
  /** Undefined while wrangler.toml has a placeholder. */
  id: string | undefined;
  /** Its place in wrangler.toml. */
  table: string;
  key: string;
}

/** The bindings of an environment that a deployment needs. Throws `not_found` if wrangler.toml lacks the environment or one of them. */
export function readDeployConfig(configPath: string, environment: string) {
  const { config, own, database, lists } = readEnvironment(configPath, environment);
  if (!own || !database || !lists) {
    const message = `wrangler.toml has no environment "${environment}" with the bindings DB and LISTS`;
    throw new RegistryError('not_found', message, 'env');
  }
  const { producers = [], consumers = [] } = own.queues ?? {};
  // Every queue that the Worker writes to, reads from, or leaves what cannot be delivered in.
  const queues = [
    ...producers.map(({ queue }) => queue),
    ...consumers.flatMap(({ queue, dead_letter_queue }) => [queue, dead_letter_queue ?? queue]),
  ];
  return {
    database: {
      name: database.database_name,
      id: deployedId(database.database_id),
      table: 'd1_databases',
      key: 'database_id',
    },
    lists: {
      name: `${config.name}-${environment}-lists`,
      id: deployedId(lists.id),
      table: 'kv_namespaces',
      key: 'id',
    },
    queues: [...new Set(queues)],
    vars: own.vars ?? {},
  };
}

/** A placeholder has zeros only. */
function deployedId(id: string | undefined): string | undefined {
  return id !== undefined && /[^0-]/.test(id) ? id : undefined;
}

/** Replaces the placeholder of a resource's id in wrangler.toml, and leaves everything else as it is written. */
export function writeId(
  configPath: string,
  environment: string,
  { table, key }: Resource,
  id: string,
): void {
  const text = readFileSync(configPath, 'utf8');
  const header = `\\[\\[env\\.${environment}\\.${table}\\]\\]`;
  const line = new RegExp(
    `^(${header}(?:\\r?\\n(?!\\[).*)*?\\r?\\n\\s*${key}\\s*=)[^\\r\\n]*`,
    'm',
  );
  if (!line.test(text)) {
    const message = `wrangler.toml has no ${key} to set to "${id}" in env.${environment}.${table}`;
    throw new RegistryError('invalid', message);
  }
  writeFileSync(`${configPath}.new`, text.replace(line, `$1 "${id}"`));
  renameSync(`${configPath}.new`, configPath);
}
