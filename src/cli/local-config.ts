import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { RegistryError } from '../error.ts';
import { configPath, projectDirectory } from './project.ts';
import { readEnvironment } from './wrangler-config.ts';

/**
 * The settings of an environment that the local runtime needs, with its variables and the secrets in .dev.vars, as `wrangler
 * dev` reads it; loading wrangler for it takes longer than most commands. Throws `not_found` for an environment that
 * wrangler.toml does not have.
 */
export function readLocalConfig(environment: string | undefined) {
  const { config, own, database, lists } = readEnvironment(configPath, environment);
  if (!own) {
    const message = `wrangler.toml has no environment ${JSON.stringify(environment)}`;
    throw new RegistryError('not_found', message, 'env');
  }
  return {
    compatibilityDate: config.compatibility_date,
    databaseId: database?.preview_database_id ?? database?.database_id ?? 'DB',
    listsId: lists?.preview_id ?? lists?.id ?? 'LISTS',
    vars: { ...own.vars, ...readSecrets(environment) },
  };
}

function readSecrets(environment: string | undefined): Record<string, string> {
  const names =
    environment === undefined ? ['.dev.vars'] : [`.dev.vars.${environment}`, '.dev.vars'];
  const file = names.map((name) => path.join(projectDirectory, name)).find(existsSync);
  if (!file) return {};
  return parseEnv(readFileSync(file, 'utf8')) as Record<string, string>;
}
