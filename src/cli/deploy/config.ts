import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'smol-toml';
import { RegistryError } from '../../error.ts';

/** What a deployment needs to know of its environment in wrangler.toml. */
export interface DeployConfig {
  /** Of the Worker. */
  name: string;
  databaseName: string;
  /** Undefined while wrangler.toml has a placeholder, as for the id of the lists. */
  databaseId: string | undefined;
  listsId: string | undefined;
  /** Every queue that the Worker writes to, reads from, or leaves what cannot be delivered in. */
  queues: string[];
  vars: Record<string, string>;
}

interface Environment {
  vars?: Record<string, string>;
  d1_databases?: { binding: string; database_name: string; database_id?: string }[];
  kv_namespaces?: { binding: string; id?: string }[];
  queues?: {
    producers?: { queue: string }[];
    consumers?: { queue: string; dead_letter_queue?: string }[];
  };
}

/** Throws `not_found` for an environment that wrangler.toml does not have, or that lacks a binding. */
export function readDeployConfig(configPath: string, environment: string): DeployConfig {
  const config = parse(readFileSync(configPath, 'utf8')) as unknown as {
    name: string;
    env?: Record<string, Environment>;
  };
  const own = config.env?.[environment];
  const database = own?.d1_databases?.find(({ binding }) => binding === 'DB');
  const lists = own?.kv_namespaces?.find(({ binding }) => binding === 'LISTS');
  if (!own || !database || !lists) {
    const message = `wrangler.toml has no environment "${environment}" with the bindings DB and LISTS`;
    throw new RegistryError('not_found', message, 'env');
  }
  const { producers = [], consumers = [] } = own.queues ?? {};
  const queues = [
    ...producers.map(({ queue }) => queue),
    ...consumers.flatMap(({ queue, dead_letter_queue }) => [queue, dead_letter_queue ?? queue]),
  ];
  return {
    name: `${config.name}-${environment}`,
    databaseName: database.database_name,
    databaseId: deployedId(database.database_id),
    listsId: deployedId(lists.id),
    queues: [...new Set(queues)],
    vars: own.vars ?? {},
  };
}

/** A placeholder has zeros only. */
function deployedId(id: string | undefined): string | undefined {
  return id !== undefined && /[^0-]/.test(id) ? id : undefined;
}

/** Replaces the placeholder of a binding's id in wrangler.toml, and leaves everything else as it is written. */
export function writeId(
  configPath: string,
  environment: string,
  table: 'd1_databases' | 'kv_namespaces',
  id: string,
): void {
  const lines = readFileSync(configPath, 'utf8').split('\n');
  const start = lines.indexOf(`[[env.${environment}.${table}]]`);
  const end = lines.findIndex((line, index) => index > start && line.startsWith('['));
  const key = table === 'd1_databases' ? 'database_id' : 'id';
  const at = lines.findIndex(
    (line, index) =>
      index > start &&
      (end === -1 || index < end) &&
      line.replaceAll(' ', '').startsWith(`${key}=`),
  );
  if (start === -1 || at === -1) {
    throw new RegistryError('invalid', `wrangler.toml has no ${key} to set in env.${environment}`);
  }
  lines[at] = `${key} = "${id}"`;
  writeFileSync(configPath, lines.join('\n'));
}
