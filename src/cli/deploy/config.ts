import { readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { RegistryError } from '../../error.ts';
import { deployedId, readEnvironment } from '../wrangler-config.ts';

/**
 * Reads what a deployment needs from wrangler.toml. Throws `not_found` if it lacks the environment or a binding,
 * `invalid` if it has no line into which a missing id could be written.
 */
export function readDeployConfig(configPath: string, environment: string) {
  const { config, own, database, lists, archive } = readEnvironment(configPath, environment);
  if (!own || !database || !lists) {
    const message = `wrangler.toml has no environment "${environment}" with the bindings DB and LISTS`;
    throw new RegistryError('not_found', message, 'env');
  }
  const { producers = [], consumers = [] } = own.queues ?? {};
  // Every queue that the Worker writes to or reads from.
  const queues = [...producers, ...consumers].map(({ queue }) => queue);
  const needed = {
    worker: `${config.name}-${environment}`,
    database: {
      name: String(database.database_name),
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
    /** The dataset of the data points. */
    dataset: own.analytics_engine_datasets?.find(({ binding }) => binding === 'METRICS')?.dataset,
    archive: archive && {
      name: String(archive.bucket_name),
      place: archive.jurisdiction === 'eu' ? ('eu' as const) : ('none' as const),
    },
    backups: `${config.name}-${environment}-backups`,
    queues: [...new Set(queues)].filter((queue) => queue !== undefined),
    vars: { ...own.vars } as Record<string, string>,
  };
  for (const place of [needed.database, needed.lists]) {
    if (place.id === undefined) checkId(configPath, environment, place);
  }
  return needed;
}

interface IdPlace {
  table: string;
  key: string;
}

/** Matches a key of a table of wrangler.toml. Its groups: the table up to the line, the line up to the value, the value. */
function lineOf(environment: string, { table, key }: IdPlace): RegExp {
  const header = `\\[\\[env\\.${environment}\\.${table}\\]\\]`;
  return new RegExp(
    `^(${header}(?:\\r?\\n(?!\\[).*)*?)(\\r?\\n\\s*${key}\\s*=\\s*)("[^"\\r\\n]*"|'[^'\\r\\n]*')`,
    'm',
  );
}

function checkId(configPath: string, environment: string, place: IdPlace): void {
  if (lineOf(environment, place).test(readFileSync(configPath, 'utf8'))) return;
  const { table, key } = place;
  const message = `wrangler.toml has no line "${key} = …" below [[env.${environment}.${table}]]`;
  throw new RegistryError('invalid', message);
}

/** Removes the jurisdiction of the bucket of the archive from wrangler.toml. */
export function dropJurisdiction(configPath: string, environment: string): void {
  const line = lineOf(environment, { table: 'r2_buckets', key: 'jurisdiction' });
  rewrite(configPath, (text) => text.replace(line, '$1'));
}

/** Replaces the placeholder of a resource's id in wrangler.toml, and leaves everything else as it is written. */
export function writeId(configPath: string, environment: string, place: IdPlace, id: string): void {
  checkId(configPath, environment, place);
  rewrite(configPath, (text) => text.replace(lineOf(environment, place), `$1$2"${id}"`));
}

function rewrite(configPath: string, edit: (text: string) => string): void {
  // A link to the file stays a link.
  const file = realpathSync(configPath);
  writeFileSync(`${file}.new`, edit(readFileSync(file, 'utf8')));
  renameSync(`${file}.new`, file);
}
